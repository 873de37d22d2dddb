import type { PageArgs, PageColumns } from '../../catalog/catalog.ts';
import { GatewayError, UpstreamError } from '../../model/errors.ts';
import type { Page } from '../../model/page.ts';
import { pageSize } from '../../model/page-size.ts';
import { isUuid } from '../../model/uuid.ts';

// Last sentences of descriptions. All lists have the four Relay arguments, but only some can be read backward.
export const bothWays = 'Pages go forward (first, after) or backward (last, before).';
export const forwardOnly = 'Pages go forward only (first, after).';

/**
 * The page size of a list that can only be read forward.
 * @throws GatewayError INVALID_INPUT for other arguments.
 */
export function forwardSize({ first, last, before }: PageArgs): number {
  if (last != null || before != null)
    throw new GatewayError({
      code: 'INVALID_INPUT',
      message: 'This list can only be read forward. Use first and after.',
      path: [last != null ? 'last' : 'before'],
    });
  return pageSize(first, 'first');
}

/** A Relay connection over rows that were read forward. */
export function forwardConnection<Row, Node = Row>(
  page: Page<Row>,
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
 * When the source of a list is down, makes `edges` null, with the typed error. The list itself is never null, so an
 * error there would null the whole response. That happens only without `edges`, because `pageInfo` alone would say
 * that the list is empty.
 */
export async function orFailedEdges<Connection extends object>(
  page: Promise<Connection>,
  { edges }: Pick<PageColumns, 'edges'>,
): Promise<Connection> {
  try {
    return await page;
  } catch (error) {
    if (!(error instanceof UpstreamError) || !edges) throw error;
    const failed = {
      pageInfo: emptyPageInfo,
      get edges(): never {
        throw error;
      },
    };
    return failed as unknown as Connection;
  }
}

/** Encodes an opaque cursor. `kind` names the list: another list refuses the cursor. */
export function encodePosition(kind: string, ...parts: (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');
}

/** Decodes a cursor. @throws GatewayError when `encodePosition` did not make it for this kind. */
export function decodePosition(kind: string, cursor: string): (string | number)[] {
  try {
    const [found, ...parts] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string];
    if (found === kind) return parts;
  } catch {
    // Fall through: other text gets the same error.
  }
  throw foreignCursor();
}

/** The time in a cursor; undefined for other text, and for years out of range for PostgreSQL or `toISOString`. */
export function timeOfCursor(part: unknown): Date | undefined {
  const time = new Date(typeof part === 'string' ? part : Number.NaN);
  const year = time.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? time : undefined;
}

/** The cursors of a list ordered by creation. `kind` is that of `encodePosition`. */
export const rowCursors = (kind: string) => ({
  of: ({ created_at, id }: { created_at: Date; id: string }): string =>
    encodePosition(kind, created_at.toISOString(), id),
  /** The position in a cursor; undefined without one. @throws GatewayError for a cursor of another list. */
  read(cursor: string | null | undefined): { createdAt: Date; id: string } | undefined {
    if (cursor == null) return undefined;
    const [time, id] = decodePosition(kind, cursor);
    const createdAt = timeOfCursor(time);
    if (createdAt && typeof id === 'string' && isUuid(id)) return { createdAt, id };
    throw foreignCursor();
  },
});

/** The error for a cursor of another list, or other text. */
export const foreignCursor = () =>
  new GatewayError({
    code: 'INVALID_INPUT',
    message:
      'The cursor in after does not belong to this list. Use an endCursor of the same list, or leave it out to start.',
    path: ['after'],
  });
