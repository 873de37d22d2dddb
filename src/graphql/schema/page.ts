import { GatewayError, UpstreamError } from '../../model/errors.ts';
import { defaultFirst } from '../execution/limits/measure-document.ts';

/** The subgraph returns at most 1,000 rows, and one of them only tells whether there are more. */
const maxFirst = 999;

// Ends of descriptions: all lists take the same four arguments, and only some of them can be read backward.
export const bothWays = 'Pages go forward (first, after) or backward (last, before).';
export const forwardOnly = 'Pages go forward only (first, after).';

/** The arguments of a Relay connection. */
export interface ListArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/**
 * The page size of a list that can only be read forward.
 * @throws GatewayError INVALID_INPUT for other arguments.
 */
export function forwardSize({ first, last, before }: ListArgs): number {
  if (last != null || before != null)
    throw new GatewayError({
      code: 'INVALID_INPUT',
      message: 'This list is read forward only: use first and after.',
      path: [last != null ? 'last' : 'before'],
    });
  const size = first ?? defaultFirst;
  if (size >= 0 && size <= maxFirst) return size;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `first must be from 0 to ${maxFirst}, not ${size}.`,
    path: ['first'],
  });
}

/** A Relay connection over rows that were read forward. */
export function forwardConnection<Row, Node = Row>(
  page: { rows: Row[]; more: boolean },
  after: string | null | undefined,
  cursorOf: (row: Row) => string,
  nodeOf: (row: Row) => Node = (row) => row as unknown as Node,
) {
  const edges = page.rows.map((row) => ({ cursor: cursorOf(row), node: nodeOf(row) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.more,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor,
      endCursor: edges.at(-1)?.cursor,
    },
  };
}

const emptyPageInfo = {
  hasNextPage: false,
  hasPreviousPage: false,
  startCursor: undefined,
  endCursor: undefined,
};

/**
 * When the source of a list is down, its `edges` are null and carry the typed error. Thrown from the list
 * itself, which is never null, the error would remove the whole response.
 */
export async function orFailedEdges<Page extends object>(page: Promise<Page>): Promise<Page> {
  try {
    return await page;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const failed = {
      pageInfo: emptyPageInfo,
      get edges(): never {
        throw error;
      },
    };
    return failed as unknown as Page;
  }
}

/** An opaque cursor. `kind` keeps a cursor of one list from being used in another. */
export function encodePosition(kind: string, ...parts: (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');
}

/** @throws GatewayError when the cursor was not made by `encodePosition` for this kind. */
export function decodePosition(kind: string, cursor: string): (string | number)[] {
  try {
    const [found, ...parts] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string];
    if (found === kind) return parts;
  } catch {
    // Falls through: every text that is not one of our cursors gets the same error.
  }
  throw foreignCursor();
}

/** A time in a cursor; undefined for what is none. The database's calendar is shorter than JavaScript's. */
export function timeOfCursor(part: unknown): Date | undefined {
  const time = new Date(typeof part === 'string' ? part : Number.NaN);
  const year = time.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? time : undefined;
}

/** The error for a cursor of another list, or a text that is none. */
export const foreignCursor = () =>
  new GatewayError({
    code: 'INVALID_INPUT',
    message: 'This cursor does not belong to this list. Use an endCursor of the same list, or none to start.',
    path: ['after'],
  });
