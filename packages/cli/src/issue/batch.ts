import { createHash } from 'node:crypto';
import type { FileRefInput, IssueEntryInput } from '@srr-gateway/client';
import { type Draft, filesOf, withFiles } from '../manifest/draft.ts';

/** Records that are issued together: all of them or none. */
export type Batch = readonly Draft[];

/** The references to uploaded files, by the files' keys. */
export type FileRefs = ReadonlyMap<string, FileRefInput>;

export function batchesOf(drafts: readonly Draft[], size: number): Batch[] {
  const batches: Batch[] = [];
  for (let from = 0; from < drafts.length; from += size) batches.push(drafts.slice(from, from + size));
  return batches;
}

/**
 * The requestId of a batch, a hash of its cells and of its files' bytes, not their names. So the same batch is the
 * same issuance in every run, and a corrected one is another.
 */
export async function requestIdOf(batch: Batch): Promise<string> {
  const hashes = new Map<string, string>();
  for (const file of filesOf(batch)) hashes.set(file.key, await file.sha256);
  const content = batch.map(({ entry }) =>
    withFiles(entry, (file) => ({ sha256: hashes.get(file.key), category: file.category })),
  );
  return `srr-issue-${createHash('sha256').update(canonical(content)).digest('hex').slice(0, 40)}`;
}

export const entryOf = ({ entry }: Draft, refs: FileRefs): IssueEntryInput =>
  withFiles(entry, (file) => refs.get(file.key)) as IssueEntryInput;

/** JSON with sorted names, because the order of columns does not matter. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
