import { parseAddress } from '@srr-gateway/common/address';
import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { longestCid, parseCid } from '../../clients/ipfs/reference.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { isLanguageTag } from '../../model/language-tag.ts';
import { isTokenId } from '../../model/token-id.ts';
import { builder } from './builder.ts';

/** Specifications of the scalars, for @specifiedBy. */
const specifications = {
  Address: 'https://eips.ethereum.org/EIPS/eip-55',
  BigInt: 'https://www.w3.org/TR/xmlschema11-2/#integer',
  CID: 'https://github.com/multiformats/cid',
  DateTime: 'https://www.rfc-editor.org/rfc/rfc3339',
  File: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  JSON: 'https://www.rfc-editor.org/rfc/rfc8259',
  LanguageMap: 'https://www.rfc-editor.org/info/bcp47',
  TokenId: 'https://eips.ethereum.org/EIPS/eip-721',
  URL: 'https://url.spec.whatwg.org/',
};

const refuse = (what: string, value: unknown): never => {
  const quoted = typeof value === 'string' ? `"${value.slice(0, 100)}"` : typeof value;
  throw new GraphQLError(`${what}, not ${quoted}.`, { extensions: { code: 'INVALID_INPUT' } });
};

/** Adds the location in the document to errors about a literal, which graphql-js leaves to the scalar. */
function atNode<Value>(parse: (node: ValueNode) => Value): (node: ValueNode) => Value {
  return (node) => {
    try {
      return parse(node);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw new GraphQLError(error.message, { nodes: [node], extensions: error.extensions });
    }
  };
}

/** Defines a scalar that is sent as text. `parse` returns undefined for text that it refuses. */
function textScalar<Name extends 'Address' | 'CID' | 'TokenId' | 'URL'>(
  name: Name,
  description: string,
  parse: (text: string) => string | undefined,
  serialize: (value: unknown) => string = String,
): void {
  const read = (value: unknown) =>
    (typeof value === 'string' ? parse(value) : undefined) ?? refuse(`${name} must be ${hints[name]}`, value);
  builder.scalarType(name, {
    description,
    specifiedByURL: specifications[name],
    serialize,
    parseValue: read as never,
    parseLiteral: atNode((node) => read(valueFromASTUntyped(node))) as never,
  });
}

const hints = {
  Address: '0x and 40 hex digits with a right checksum or in one letter case',
  CID: `an IPFS content identifier (v0 or v1) of at most ${longestCid} characters`,
  TokenId: 'an unsigned decimal number as text, of at most 78 digits and without leading zeros',
  URL: 'an absolute address',
};

textScalar(
  'Address',
  'An Ethereum address: 0x and 40 hex digits. Any letter case is accepted, but a wrong checksum is refused. It is returned with its EIP-55 checksum.',
  parseAddress,
  // The subgraph has addresses in lower case.
  (value) => parseAddress(String(value)) ?? String(value),
);
textScalar(
  'CID',
  'An IPFS content identifier. Version 0 and version 1 are accepted, and it is returned as it was recorded.',
  (text) => (parseCid(text) ? text : undefined),
);
textScalar(
  'TokenId',
  'The token id of a record: an unsigned decimal number as text, of at most 78 digits and without leading zeros.',
  (text) => (isTokenId(text) ? text : undefined),
);
textScalar('URL', 'An absolute URL.', (text) => (URL.canParse(text) ? text : undefined));

const bigInt = (value: unknown) => {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  return typeof text === 'string' && /^-?\d{1,78}$/.test(text)
    ? text
    : (refuse('BigInt must be a whole number as text', value) as never);
};
builder.scalarType('BigInt', {
  specifiedByURL: specifications.BigInt,
  description: 'A whole number of up to 78 digits, as decimal text.',
  serialize: (value) => String(value),
  parseValue: bigInt,
  parseLiteral: atNode((node) =>
    node.kind === Kind.INT || node.kind === Kind.STRING ? bigInt(node.value) : bigInt(node.kind),
  ),
});

// RFC 3339 with a time zone. `Date` alone would also accept a bare year or local time.
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;
/** `Date` takes 30 February for 2 March. */
const isDay = (day: string) => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
const dateTime = (value: unknown): Date => {
  const isTime = typeof value === 'string' && rfc3339.test(value) && isDay(value.slice(0, 10));
  const date = isTime ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime())
    ? date
    : (refuse('DateTime must be in RFC 3339 format, such as 2026-05-12T09:30:00Z', value) as never);
};
builder.scalarType('DateTime', {
  specifiedByURL: specifications.DateTime,
  description: 'A point in time in RFC 3339 format, returned in UTC: 2026-05-12T09:30:00.000Z.',
  serialize: isoTime,
  parseValue: dateTime,
  parseLiteral: atNode((node) => dateTime(valueFromASTUntyped(node))),
});

builder.scalarType('JSON', {
  specifiedByURL: specifications.JSON,
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
});

const languageMap = (value: unknown): Record<string, string> => {
  if (!isJsonObject(value)) return refuse('LanguageMap must be an object such as {"en": "Untitled"}', value);
  for (const [tag, text] of Object.entries(value)) {
    if (!isLanguageTag(tag))
      return refuse('Each key of a LanguageMap must be a BCP-47 language tag such as en or zh-Hant', tag);
    if (typeof text !== 'string') return refuse(`The "${tag}" value of a LanguageMap must be text`, text);
  }
  return value as Record<string, string>;
};
builder.scalarType('LanguageMap', {
  specifiedByURL: specifications.LanguageMap,
  description:
    'A text by language, such as {"en": "Untitled", "ja": "無題"}. The keys are BCP-47 language tags, such as en, ja or zh-Hant.',
  serialize: (value) => value,
  parseValue: languageMap,
  parseLiteral: atNode((node) => languageMap(objectLiteral(node))),
});

function objectLiteral(node: ValueNode): unknown {
  if (node.kind !== Kind.OBJECT) return undefined;
  return Object.fromEntries(
    node.fields.map(({ name, value }) => [name.value, value.kind === Kind.STRING ? value.value : undefined]),
  );
}

builder.scalarType('File', {
  specifiedByURL: specifications.File,
  description:
    'A file in a GraphQL multipart request. The gateway buffers it in memory, so send larger files by signedUrl or proxyUrl.',
  serialize: () => refuse('File is only for input', undefined),
  parseValue: (value) =>
    isFile(value) ? value : (refuse('File must be a part of a multipart request', value) as never),
});

/**
 * Whether a value is a file. Yoga has its own File class, so `instanceof` would fail. Values from JSON have
 * no functions, so they cannot pass.
 */
function isFile(value: unknown): value is File {
  return (
    typeof value === 'object' && value !== null && 'stream' in value && typeof value.stream === 'function'
  );
}
