import { getNamedType, isLeafType } from 'graphql';
import type { EventTypeName } from '../../model/event-type.ts';
import { schema } from './schema.ts';

const objectOf = (name: string) => {
  const type = schema.getType(name);
  if (type && 'getFields' in type) return Object.values(type.getFields());
  throw new Error(`the schema has no type ${name}`);
};
const ofEvery = new Set(objectOf('Event').map(({ name }) => name));

/** A field of one event type: its GraphQL type, and its selection. */
export interface ShownField {
  name: string;
  type: string;
  selection: string;
}

/**
 * The specific fields of an event type that webhooks, the client package and `srr` select by default: scalars, and
 * only those objects in `selections`, because other objects wait for the subgraph.
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
