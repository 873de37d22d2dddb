import { parentPort } from 'node:worker_threads';
import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import type { SchemaTask, SchemaTaskResult } from './schema-judge.ts';
import { type DocumentFault, documentFault } from './schema-messages.ts';
import { thoroughUpTo, valuesIn } from './value-count.ts';

// A thread of its own: a schema that somebody else wrote may take for ever to compile or to apply.

/** As many as are in use at a time. */
const mostCompiled = 20;
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

// Loading the validator is no part of the time that a schema gets.
parentPort?.postMessage('ready');

function faultsOf(text: string, document: object): DocumentFault[] {
  const validate = validatorOf(text, valuesIn(document, thoroughUpTo) <= thoroughUpTo);
  if (validate(document)) return [];
  const errors = (validate.errors as DefinedError[]).filter(isSchemasToSay);
  return errors.map(documentFault).filter((fault) => fault !== undefined);
}

function validatorOf(text: string, allErrors: boolean): ValidateFunction {
  const key = `${allErrors} ${text}`;
  const known = compiled.get(key);
  if (known) return known;
  // A reference to another document makes the compilation fail: nothing is loaded here.
  const validate = new Ajv({
    allErrors,
    // Keywords and formats that are not known here are passed over, as validators of the service's kind do.
    strict: false,
    validateFormats: false,
    // Patterns of schemas are mostly written without the strictness of the "u" flag.
    unicodeRegExp: false,
    logger: false,
  }).compile(JSON.parse(text));
  // Its answer would be a promise, which counts as "valid".
  if ('$async' in validate) throw new Error('an asynchronous schema');
  if (compiled.size >= mostCompiled) compiled.clear();
  compiled.set(key, validate);
  return validate;
}

/**
 * The service's document rules over its schemas in two things, which have checks of their own: what `$schema`
 * and `$schemaIntegrity` may be, and which addresses name a file (the service replaces them before it publishes).
 */
function isSchemasToSay({ keyword, instancePath, params }: DefinedError): boolean {
  if (instancePath.startsWith('/$schema')) return false;
  if (keyword === 'required' && instancePath === '' && params.missingProperty === '$schemaIntegrity')
    return false;
  const isAddress = ['/thumbnailURL', '/image', '/contractTerms/fileURL'].includes(instancePath);
  return !isAddress || keyword === 'type';
}
