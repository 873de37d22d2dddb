import { queryOrThrow, type Session } from '../lib/session.ts';
import type { Draft } from '../manifest/draft.ts';
import { type Batch, batchesOf, canonical } from './batch.ts';
import { forEachConcurrent } from './upload-files.ts';

/** An entry that the issuer issued, or tried to, before this run. */
export interface EarlierEntry {
  status: string;
  error: { code: string } | null;
  input: Record<string, unknown>;
  issuance: { id: string; requestId: string };
}

/** The gateway's limit on root fields of an operation (MAX_ROOT_FIELDS). */
const perQuery = 20;

/**
 * Finds the entries that block these records, because an externalId can be used only once. An entry that was refused
 * or cancelled does not block: its externalId is free again.
 */
export async function earlierEntries(session: Session, batch: Batch): Promise<Map<Draft, EarlierEntry>> {
  const found = new Map<Draft, EarlierEntry>();
  await forEachConcurrent(batchesOf(batch, perQuery), 4, async (group) => {
    const parameters = group.map((_, i) => `$id${i}: String!`).join(', ');
    const selections = group.map(
      (_, i) =>
        `e${i}: issuanceEntry(externalId: $id${i}) { status error { code } input issuance { id requestId } }`,
    );
    const variables = Object.fromEntries(group.map(({ externalId }, i) => [`id${i}`, externalId]));
    const data = await queryOrThrow<Record<string, EarlierEntry | null>>(
      session,
      `query EarlierEntries(${parameters}) { ${selections.join('\n')} }`,
      variables,
    );
    group.forEach((draft, i) => {
      const entry = data[`e${i}`];
      if (entry && blocks(entry)) found.set(draft, entry);
    });
  });
  return found;
}

const blocks = ({ status, error }: EarlierEntry) =>
  status === 'CANCELLED' || status === 'FAILED' ? error?.code === 'MINING_FAILED' : true;

/** The fault of a record that differs from the earlier one with its externalId. Files are compared by upload id. */
export function differenceOf(
  { input }: EarlierEntry,
  entry: object,
): { code: string; message: string; path: readonly string[] } | undefined {
  // The gateway deletes the input KEEP_DETAILS_DAYS after the end of an issuance.
  if (Object.keys(input).length === 0) return undefined;
  const path = firstDifference(input, entry as Record<string, unknown>);
  const message = `The externalId was used before, for a record with another ${path?.join('.')}.`;
  return path && { code: 'DUPLICATE_EXTERNAL_ID', message, path };
}

function firstDifference(
  one: Record<string, unknown>,
  other: Record<string, unknown>,
  path: readonly string[] = [],
): readonly string[] | undefined {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [a, b] = [one[name] ?? null, other[name] ?? null];
    if (same(a, b)) continue;
    if (isObject(a) && isObject(b)) {
      const inner = firstDifference(a, b, [...path, name]);
      if (inner) return inner;
      continue;
    }
    // The gateway stores defaults for what the entry leaves out.
    if (b === null) continue;
    return [...path, name];
  }
  return undefined;
}

/** The gateway returns addresses in checksum case. */
const same = (a: unknown, b: unknown) =>
  typeof a === 'string' && typeof b === 'string' && /^0x[0-9a-f]{40}$/i.test(a)
    ? a.toLowerCase() === b.toLowerCase()
    : canonical(a) === canonical(b);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
