import type { DefinedError } from 'ajv';

/** A fault of a metadata document: where in the document, and what to do about it. */
export interface DocumentFault {
  path: string[];
  message: string;
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/**
 * Converts a validator's error to a fault that says what to do; undefined for an error that only summarizes others.
 */
export function documentFault(error: DefinedError): DocumentFault | undefined {
  const path = error.instancePath.split('/').slice(1).map(unescaped);
  const at = path.join('.') || 'The metadata';
  switch (error.keyword) {
    case 'required':
    case 'dependencies':
      return missing(path, error.params.missingProperty);
    case 'additionalProperties':
      return surplus(path, error.params.additionalProperty, error.schemaPath);
    case 'enum':
      return { path, message: `${at} must be one of ${short(error.params.allowedValues.join(', '))}.` };
    case 'type':
      return { path, message: `${at} must be ${typesOf(error.params.type)}.` };
    case 'minimum':
    case 'maximum':
      return { path, message: limited(at, path, error.message) };
    case 'pattern':
      return {
        path,
        message: error.params.pattern.includes('sha256-')
          ? `${at} must be "sha256-" and 64 hex digits in lower case.`
          : `${at} must fit the pattern ${short(error.params.pattern)}.`,
      };
    case 'if':
      return undefined;
    default:
      return {
        path,
        message: `${at} does not fit the schema of its version: ${short(error.message ?? error.keyword)}.`,
      };
  }
}

/** A fetched schema may quote values of any length. */
const short = (text: string) => text.slice(0, 300);

const limited = (at: string, path: string[], words = 'is out of range') =>
  path.at(-1) === 'royaltyRate' ? `${at} is a percentage from 0 to 100.` : `${at} ${words}.`;

function missing(path: string[], property: string): DocumentFault {
  // The service fills `digitalComponents` from attachments: adding the property would not help the caller.
  if (path.length === 0 && property === 'digitalComponents')
    return {
      path: ['isDigital'],
      message: 'A digital work needs its files: add an attachment of category ARTWORK.',
    };
  const place = [...path, property];
  return { path: place, message: `Add ${short(place.join('.'))}; the metadata needs it.` };
}

function surplus(path: string[], property: string, schemaPath: string): DocumentFault {
  const place = [...path, property];
  const name = property.slice(0, 100);
  if (schemaPath.includes('languageMap'))
    return {
      path: place,
      message: `"${name}" is no language of ${path.join('.')}: give a BCP-47 language tag, such as en, ja or zh-Hant.`,
    };
  return {
    path: place,
    message: `Remove "${name}"; the schema version of the metadata has no such property.`,
  };
}

/** ajv gives one type, or several as a list. */
function typesOf(types: unknown): string {
  const names = (Array.isArray(types) ? types : [types]).map((type) => typeNames[String(type)] ?? type);
  return names.join(' or ');
}

/** A segment of a JSON pointer. */
const unescaped = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~');
