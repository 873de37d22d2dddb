import type { FileRefInput } from '@srr-gateway/client';
import { exitCodes, isRefusal } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import { issuerOf, queried, type Session } from '../lib/session.ts';
import { columnAt, inRows, placeOf } from '../manifest/columns.ts';
import { filesOf, withFiles } from '../manifest/draft.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { type Batch, batchesOf, entryOf } from './batch.ts';
import { differenceOf, earlierEntries } from './earlier-entries.ts';

interface Fault {
  code: string;
  message: string;
  path?: readonly (string | number)[] | null | undefined;
}

interface Shown {
  where: string | null;
  column: string | null;
  code: string;
  message: string;
}

const validate = `query DryRun($entries: [IssueEntryInput!]!) {
  validateSRRs(entries: $entries) {
    userErrors { code message path }
    warnings { code message path }
  }
}`;

/** Files that the run would upload: that they are not there yet is no fault. */
const notUploaded = /^(FILE|ATTACHMENT)_NOT_(FOUND|READY)$/;

/** Has the gateway check all records, and prints what it finds. */
export async function dryRun(session: Session, manifest: Manifest, batchSize: number): Promise<void> {
  await issuerOf(session);
  const { path, drafts, headers } = manifest;
  const faults: Shown[] = [];
  const warnings: Shown[] = [];
  let used = 0;
  for (const batch of batchesOf(drafts, batchSize)) {
    const [found, earlier] = await Promise.all([check(session, batch), earlierEntries(session, batch)]);
    used += earlier.size;
    const shown = ({ code, message, path: at }: Fault): Shown => {
      const { index, inEntry } = placeOf(at);
      const where = index === undefined ? null : (batch[index]?.where ?? null);
      return {
        where,
        column: columnAt(inEntry, headers) ?? null,
        code,
        message: inRows(message, batch),
      };
    };
    for (const [{ where, entry }, before] of earlier) {
      // Nothing is uploaded, so files cannot be compared.
      const fault = differenceOf(before, { ...(withFiles(entry, () => null) as object), attachments: null });
      if (fault) faults.push({ ...shown(fault), where });
    }
    faults.push(...found.userErrors.filter(({ code }) => !notUploaded.test(code)).map(shown));
    warnings.push(...found.warnings.filter(({ code }) => !notUploaded.test(code)).map(shown));
  }
  const files = filesOf(drafts).length;
  const valid = faults.length === 0;
  process.exitCode = valid ? exitCodes.ok : exitCodes.failed;
  const line = ({ where, column, message, code }: Shown) =>
    `${path}: ${where ?? 'all records'}${column ? `, column "${column}"` : ''}: ${message} (${code})`;
  if (session.json) await printJson({ valid, records: drafts.length, used, files, faults, warnings });
  else {
    for (const fault of faults) say(line(fault));
    for (const warning of warnings) say(`Warning: ${line(warning)}`);
    const before = used > 0 ? `, ${used} of them with an externalId that was issued before` : '';
    const verdict = valid ? 'Nothing speaks against issuing them.' : 'Correct what is named above.';
    await print(`${drafts.length} records${before}, ${files} files. ${verdict} Nothing was sent.`);
  }
}

/** The names that the files would have stand for them. */
async function check(session: Session, batch: Batch): Promise<{ userErrors: Fault[]; warnings: Fault[] }> {
  const refs = new Map<string, FileRefInput>();
  for (const file of filesOf(batch))
    refs.set(file.key, { file: { filename: await file.filename(), category: file.category } });
  try {
    const entries = batch.map((draft) => entryOf(draft, refs));
    const { validateSRRs } = await queried<{
      validateSRRs: { userErrors: Fault[]; warnings: Fault[] };
    }>(session, validate, { entries });
    return validateSRRs;
  } catch (error) {
    // A malformed value, such as an address of 39 digits, is refused before anything is looked at.
    if (isRefusal(error)) return { userErrors: [...error.all], warnings: [] };
    throw error;
  }
}
