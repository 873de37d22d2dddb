import { type BlockRef, type Key, SubgraphError } from '../clients/subgraph/subgraph.ts';
import { jsonbFault } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';

/** A position in a list: after or before the row with this key. */
export interface CursorPosition {
  /** The block of the page that the row was on; absent: the newest one. */
  block?: BlockRef;
  key: Key;
}

/** A list in an order: what a cursor belongs to. */
export interface OrderedList {
  name: string;
  field: string;
  /** Whether the values are text; absent: whole numbers. */
  text?: boolean | undefined;
}

/** Encodes a cursor: its list, the sort field, the key of the row, and the block if following pages are read at it. */
export function encodeCursor(
  { name, field }: OrderedList,
  block: BlockRef | undefined,
  { value, id }: Key,
): string {
  // GraphQL leaves the form of a BigInt to the subgraph: it may be a number.
  const parts = [field, block?.number ?? null, block?.hash ?? null, String(value), id, name];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Decodes the cursor in an argument.
 * @throws GatewayError when it does not belong to this list in this order.
 */
export function decodeCursor(
  text: string,
  { name, field, text: anyText }: OrderedList,
  argument = 'after',
): CursorPosition {
  const isValue = anyText ? isText : isDecimal;
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    // A cursor of an earlier release does not name its list.
    const [found, number, hash, value, id, list = name] = parts;
    if (list === name && found === field && isHash(hash) && isValue(value) && isText(id)) {
      if (number === null) return { key: { value, id } };
      if (isBlock(number)) return { block: { number, hash: hash ?? undefined }, key: { value, id } };
    }
  } catch {
    // Fall through: other text gets the same error.
  }
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `The cursor in ${argument} does not belong to this list in this order. Start again without one.`,
    path: [argument],
  });
}

/**
 * Converts the loss of a cursor's block to CURSOR_EXPIRED, with a cursor to continue after. Rows that were added,
 * changed or removed since the lost block may then be missing or repeated.
 */
export function expired(
  list: OrderedList,
  from: CursorPosition | undefined,
  argument: string,
): (error: unknown) => never {
  return (error) => {
    const gone =
      error instanceof SubgraphError && (error.kind === 'BLOCK_PRUNED' || error.kind === 'BLOCK_UNKNOWN');
    if (!gone || !from?.block) throw error;
    const { upstreamMessage } = error.faults[0];
    throw new GatewayError(
      {
        code: 'CURSOR_EXPIRED',
        message:
          'The subgraph no longer has the block of this cursor: it is too old, or the chain was reorganised. Continue with this error’s continueAfter as the cursor, or start again without one.',
        path: [argument],
        continueAfter: encodeCursor(list, undefined, from.key),
        ...(upstreamMessage && { upstreamMessage }),
      },
      { cause: error },
    );
  };
}

// The subgraph takes block numbers of 32 bits.
const isBlock = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
const isHash = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value));
/** Text that the subgraph's database accepts. Other text would make its query fail. */
const isText = (value: unknown): value is string => typeof value === 'string' && !jsonbFault(value);
const isDecimal = (value: unknown): value is string => typeof value === 'string' && /^\d{1,78}$/.test(value);
