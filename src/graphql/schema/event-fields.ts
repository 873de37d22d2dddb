import { getNamedType, isLeafType } from 'graphql';
import type { EventTypeName } from '../../model/event-type.ts';
import { schema } from './schema.ts';

const objectOf = (name: string) => {
  const type = schema.getType(name);
  if (type && 'getFields' in type) return Object.values(type.getFields());
  throw new Error(`the schema has no type ${name}`);
};
const ofEvery = new Set(objectOf('Event').map(({ name }) => name));

/** A field of one type of event: its type as the schema has it, and what is selected of it. */
export interface ShownField {
  name: string;
  type: string;
  selection: string;
}

/**
 * The fields of one type of event, beside those of every event, that webhooks, the client package and `srr` show
 * to readers who select none: values, and of objects only those in `selections`, because the others wait for the
 * subgraph.
 */
export const shownFields = (name: EventTypeName, selections: Record<string, string>): ShownField[] =>
  objectOf(name)
    .filter((field) => !ofEvery.has(field.name))
    .map((field) => ({ ...field, of: getNamedType(field.type) }))
    .filter(({ of }) => isLeafType(of) || of.name in selections)
    .toSorted((one, other) => Number(isLeafType(other.of)) - Number(isLeafType(one.of)))
    .map((field) => ({
      name: field.name,
      type: String(field.type),
      selection: selections[field.of.name] ?? '',
    }));
