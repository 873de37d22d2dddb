import { parentPort } from 'node:worker_threads';
import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import { type DocumentFault, documentFault } from './schema-messages.ts';
import type { SchemaTask, SchemaTaskResult } from './schema-validator.ts';
import { maxThoroughValues, valuesIn } from './value-count.ts';

// Runs in a thread of its own, because an untrusted schema may take for ever to compile or to apply.

/** Compiled schemas in memory; at any time fewer are in use. */
const maxCompiled = 20;
const compiled = new Map<string, ValidateFunction>();

parentPort?.on('message', ({ text, documents }: SchemaTask) => {
  let result: SchemaTaskResult;
  try {
    result = { faults: documents.map((document) => faultsOf(text, document)) };
  } catch (error) {
    result = { why: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(result);
});

// Signal that the validator is loaded: only then does a task's time limit start.
parentPort?.postMessage('ready');

function faultsOf(text: string, document: object): DocumentFault[] {
  const validate = validatorOf(text, valuesIn(document, maxThoroughValues) <= maxThoroughValues);
  if (validate(document)) return [];
  const errors = (validate.errors as DefinedError[]).filter(countsAsFault);
  return errors.map(documentFault).filter((fault) => fault !== undefined);
}

function validatorOf(text: string, allErrors: boolean): ValidateFunction {
  const key = `${allErrors} ${text}`;
  const cached = compiled.get(key);
  if (cached) return cached;
  // A reference to another document fails the compilation, because nothing is loaded here.
  const validate = new Ajv({
    allErrors,
    // Ignore unknown keywords and formats, as validators of the service's kind do.
    strict: false,
    validateFormats: false,
    // Patterns in schemas are mostly written without the strictness of the "u" flag.
    unicodeRegExp: false,
    logger: false,
  }).compile(JSON.parse(text));
  // An asynchronous schema returns a promise, which would count as "valid".
  if ('$async' in validate) throw new Error('an asynchronous schema');
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(key, validate);
  return validate;
}

/**
 * Whether an error counts. The service's document overrides its schemas in two points, which are checked elsewhere:
 * the values of `$schema` and `$schemaIntegrity`, and the addresses of files, which the service replaces before
 * publishing.
 */
function countsAsFault({ keyword, instancePath, params }: DefinedError): boolean {
  if (instancePath.startsWith('/$schema')) return false;
  if (keyword === 'required' && instancePath === '' && params.missingProperty === '$schemaIntegrity')
    return false;
  const isAddress = ['/thumbnailURL', '/image', '/contractTerms/fileURL'].includes(instancePath);
  return !isAddress || keyword === 'type';
}
