import { type Address, parseAddress } from '@srr-gateway/common/address';
import { z } from 'zod';
import { fieldMessages } from '../../http/messages.ts';
import { collectProblems, isRecord, type Problems } from './problems.ts';

export type JsonSchema = Record<string, unknown>;

/**
 * A field of a body: its schema for the OpenAPI document, and how it is read. It is written by hand because
 * the service's messages depend on the order of its rules, and because reading stops at a thousand problems:
 * a validator that collects every fault of a body with millions of wrong values would take gigabytes.
 */
export interface Field<T> {
  readonly schema: JsonSchema;
  readonly optional?: true;
  /** Reads a value and adds what is wrong with it to `problems`. */
  read(value: unknown, name: string, problems: Problems): T;
}

export type ValueOf<F> = F extends Field<infer T> ? T : never;

/** A zod schema that reads a body through its fields; each problem is an issue of its own. */
export function bodyOf<T>(field: Field<T>) {
  return z
    .unknown()
    .transform((body, { issues }) => {
      const { found, value } = collectProblems((problems) =>
        field.read(isRecord(body) ? body : {}, '', problems),
      );
      for (const message of found) issues.push({ code: 'custom', message, input: undefined });
      return value ?? z.NEVER;
    })
    .meta(field.schema);
}

export const anyText: Field<string> = {
  schema: { type: 'string' },
  read(value, name, problems) {
    if (typeof value === 'string') return value;
    problems.add(fieldMessages.noText(name));
    return '';
  },
};

/** A string that is not empty. */
export const text: Field<string> = {
  schema: { type: 'string', minLength: 1 },
  read(value, name, problems) {
    if (typeof value !== 'string') problems.add(fieldMessages.noText(name));
    // The document lists both messages for an absent externalId, so an absent value breaks both rules.
    if (value === '' || value === undefined || value === null) problems.add(fieldMessages.empty(name));
    return typeof value === 'string' ? value : '';
  },
};

export const flag: Field<boolean> = {
  schema: { type: 'boolean' },
  read(value, name, problems) {
    if (typeof value !== 'boolean') problems.add(fieldMessages.noFlag(name));
    return value === true;
  },
};

const noAddress: Address = '0x0000000000000000000000000000000000000000';

export const address: Field<Address> = {
  schema: {
    type: 'string',
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'Mixed case is a checksum (EIP-55).',
  },
  read(value, name, problems) {
    const parsed = typeof value === 'string' ? parseAddress(value) : undefined;
    if (parsed === undefined) problems.add(fieldMessages.noAddress(name));
    return parsed ?? noAddress;
  },
};

/**
 * An address that can receive a token. The zero address is refused: ERC-721 forbids a transfer to it, so
 * the record could never be mined.
 */
export const recipient: Field<Address> = {
  schema: { ...address.schema, not: { pattern: `^${noAddress}$` } },
  read(value, name, problems) {
    const parsed = address.read(value, name, problems);
    if (value === noAddress) problems.add(fieldMessages.noAddress(name));
    return parsed;
  },
};

/** One of the given strings. */
export function oneOf<const T extends string>(values: readonly [T, ...T[]]): Field<T> {
  return {
    schema: { enum: values },
    read(value, name, problems) {
      const known = values.find((allowed) => allowed === value);
      if (known === undefined) problems.add(fieldMessages.noneOf(name, values));
      return known ?? values[0];
    },
  };
}

/** A list, whose items are named `<name>.<index>` in messages. */
export function list<T>(item: Field<T>): Field<T[]> {
  return {
    schema: { type: 'array', items: item.schema },
    read(value, name, problems) {
      if (Array.isArray(value))
        return value.map((part, index) => item.read(part, `${name}.${index}`, problems));
      problems.add(fieldMessages.noList(name));
      return [];
    },
  };
}

/** The same list, but an empty one is refused. */
export function notEmpty<T>(items: Field<T[]>): Field<T[]> {
  return {
    schema: { ...items.schema, minItems: 1 },
    read(value, name, problems) {
      const read = items.read(value, name, problems);
      if (Array.isArray(value) && value.length === 0) problems.add(fieldMessages.empty(name));
      return read;
    },
  };
}

/** A field that may be absent or null; both are read as `absent`. */
export function optional<T, A>(field: Field<T>, absent: A): Field<T | A> {
  return {
    optional: true,
    schema: { anyOf: [field.schema, { type: 'null' }] },
    read: (value, name, problems) => (value == null ? absent : field.read(value, name, problems)),
  };
}

/** An object with the given fields. Other fields are ignored. */
export function object<F extends Record<string, Field<unknown>>>(
  fields: F,
): Field<{ [K in keyof F]: ValueOf<F[K]> }> {
  const entries = Object.entries(fields);
  return {
    schema: {
      type: 'object',
      required: entries.filter(([, field]) => !field.optional).map(([key]) => key),
      properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
    },
    read(value, name, problems) {
      if (!isRecord(value)) problems.add(fieldMessages.noObject(name));
      const found = isRecord(value) ? value : {};
      const at = name === '' ? '' : `${name}.`;
      return Object.fromEntries(
        entries.map(([key, field]) => [key, field.read(found[key], `${at}${key}`, problems)]),
      ) as { [K in keyof F]: ValueOf<F[K]> };
    },
  };
}
