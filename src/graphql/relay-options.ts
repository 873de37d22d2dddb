import { decodeGlobalID } from '@pothos/plugin-relay';
import { unstorable } from '../lib/storable.ts';
import { GatewayError } from '../model/errors.ts';

/** @throws GatewayError INVALID_INPUT for what no id field ever gave. */
function readId(globalId: string, path = ['id']): { typename: string; id: string } {
  try {
    const decoded = decodeGlobalID(globalId);
    if (!unstorable(decoded.id)) return decoded;
  } catch {
    // Falls through to the one answer for every text that is no id of ours.
  }
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `"${globalId.slice(0, 100)}" is no id of this gateway. Send an id exactly as an id field gave it.`,
    path,
  });
}

/**
 * The id within a global one of this type. Resolvers read the ids of their arguments by this, and not by
 * `t.arg.globalID`: what is wrong with an id is then the error of its field alone, at its place in the input, or one
 * of the userErrors of a mutation.
 * @throws GatewayError INVALID_INPUT for the id of something else, or no id.
 */
export function idOf(typename: string, globalId: string, path: string[]): string {
  const decoded = readId(globalId, path);
  if (decoded.typename === typename) return decoded.id;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `"${globalId.slice(0, 100)}" is not the id of a thing of type ${typename}. Send the id that such a thing gave.`,
    path,
  });
}

const pageSizes = 'at most 999; 20 when neither first nor last is given';

/** What the Relay types mean here, for GraphiQL. */
export const relayOptions = {
  decodeGlobalID: (globalId: string) => readId(globalId),
  clientMutationId: 'omit',
  cursorType: 'String',
  nodeTypeOptions: { description: 'Something with an id of its own, which stays the same for ever.' },
  idFieldOptions: { description: 'The same for ever.' },
  nodeQueryOptions: {
    description: 'Anything by its id. Null when there is no such thing, or it is not the caller’s.',
    args: { id: { description: 'As some id field gave it.' } },
  },
  nodesQueryOptions: {
    description: 'Several things by their ids, in that order.',
    args: { ids: { description: 'As some id fields gave them.' } },
  },
  pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
  hasNextPageFieldOptions: { description: 'Whether there is more after this page.' },
  hasPreviousPageFieldOptions: { description: 'Whether there is more before this page.' },
  startCursorFieldOptions: { description: 'Of the first edge: give it as "before" for the page before.' },
  endCursorFieldOptions: { description: 'Of the last edge: give it as "after" for the next page.' },
  defaultConnectionTypeOptions: { description: 'A page of a list.' },
  defaultEdgeTypeOptions: { description: 'One place in a list.' },
  edgesFieldOptions: { description: 'The page. Null when its source is down; the error says which.' },
  pageInfoFieldOptions: { description: 'Where the page stands.' },
  cursorFieldOptions: {
    description: 'This place in the list, opaque. Good only for the same list and order.',
  },
  nodeFieldOptions: { description: 'What stands there.' },
  firstArgOptions: { description: `How many after the cursor: ${pageSizes}.` },
  afterArgOptions: { description: 'Start after this cursor.' },
  lastArgOptions: { description: `How many before the cursor: ${pageSizes}. Not for every list.` },
  beforeArgOptions: { description: 'End before this cursor. Not for every list.' },
} as const;
