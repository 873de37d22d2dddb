import { encodeGlobalID } from '@pothos/plugin-relay';
import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { GatewayError } from '../../model/errors.ts';

interface NodeId {
  /** Empty for text that is not a global id: the resolver reports it, with its path. */
  typename: string;
  id: string;
}

/** Unlike the library's function it throws no error: a request can have tens of thousands of wrong ids. */
function readId(globalId: string): NodeId {
  const [, typename = '', id = ''] = /^(\w+):(.+)$/s.exec(Buffer.from(globalId, 'base64').toString()) ?? [];
  const isRead = encodeGlobalID(typename, id) === globalId && !jsonbFault(id);
  return isRead ? { typename, id } : { typename: '', id: globalId };
}

/** @throws GatewayError INVALID_INPUT unless the id names a type that implements Node. */
export function demandNode({ typename, id }: NodeId, { schema }: GraphQLResolveInfo, path: string[]): void {
  const type = schema.getType(typename);
  if (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')) return;
  const sent = typename === '' ? id : encodeGlobalID(typename, id);
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `"${sent.slice(0, 100)}" is not an id of this gateway. Send an id exactly as an id field returned it.`,
    path,
  });
}

/**
 * The id in a global id of this type. Unlike `t.arg.globalID`, a wrong id fails only its own field, with its path, or
 * becomes one of a mutation's userErrors.
 * @throws GatewayError INVALID_INPUT for an id of another type, or other text.
 */
export function idOf(typename: string, globalId: string, path: string[]): string {
  const decoded = readId(globalId);
  if (decoded.typename === typename) return decoded.id;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `"${globalId.slice(0, 100)}" is not an id of type ${typename}. Send the id of an object of that type.`,
    path,
  });
}

/** Options of the id of a type that is not a Relay node. */
export const idField = (what: string) => ({
  nullable: false as const,
  description: `The id of this ${what} for client caches. It never changes. The query node does not accept it.`,
});

const pageSizes = 'at most 999; 20 when neither first nor last is given';

/** Descriptions of the Relay types and arguments, which GraphiQL shows. */
export const relayOptions = {
  decodeGlobalID: readId,
  clientMutationId: 'omit',
  cursorType: 'String',
  nodeTypeOptions: { description: 'An object with a global id that never changes.' },
  idFieldOptions: { description: 'The global id of this object. It never changes.' },
  nodeQueryOptions: {
    description:
      'Fetches an object by its global id. Null when it does not exist or belongs to another issuer.',
    args: { id: { description: 'The global id, exactly as an id field returned it.' } },
  },
  nodesQueryOptions: {
    description:
      'Fetches several objects by their global ids, in the order of the ids. An item is null when the object does not exist or belongs to another issuer, and null with an error when it cannot be loaded. Beyond a thousand errors the whole field fails.',
    args: { ids: { description: 'The global ids, exactly as id fields returned them.' } },
  },
  pageInfoTypeOptions: { description: 'The position of a page within its list.' },
  hasNextPageFieldOptions: { description: 'Whether the list has more items after this page.' },
  hasPreviousPageFieldOptions: { description: 'Whether the list has more items before this page.' },
  startCursorFieldOptions: {
    description:
      'The cursor of the first edge. Pass it as "before" to get the previous page. Null when the page is empty.',
  },
  endCursorFieldOptions: {
    description:
      'The cursor of the last edge. Pass it as "after" to get the next page. Null when the page is empty.',
  },
  defaultConnectionTypeOptions: { description: 'A page of a list, as a Relay connection.' },
  defaultEdgeTypeOptions: { description: 'An item of a list with its cursor.' },
  edgesFieldOptions: {
    description:
      'The items of this page. Null when the source of the list is down; the error at this path names the source.',
  },
  pageInfoFieldOptions: { description: 'The position of this page within the list.' },
  cursorFieldOptions: {
    description:
      'The opaque position of this item in the list. It is valid only for the same list in the same order.',
  },
  nodeFieldOptions: {
    description: 'The item at this position of the list. Null only with an error that says why.',
  },
  firstArgOptions: { description: `The number of items to return after the cursor: ${pageSizes}.` },
  afterArgOptions: { description: 'Returns the items after this cursor.' },
  lastArgOptions: {
    description: `The number of items to return before the cursor: ${pageSizes}. Lists that can only be read forward refuse it.`,
  },
  beforeArgOptions: {
    description: 'Returns the items before this cursor. Lists that can only be read forward refuse it.',
  },
} as const;
