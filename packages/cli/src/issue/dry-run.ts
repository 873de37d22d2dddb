import { exitCodes } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import { issuerOf, type Session } from '../lib/session.ts';
import { columnAt, inRows, placeOf } from '../manifest/columns.ts';
import { filesOf, withFiles } from '../manifest/draft.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { batchesOf } from './batch.ts';
import { check, type Fault } from './check.ts';
import { differenceOf, earlierEntries } from './earlier-entries.ts';

interface Shown {
  where: string | null;
  column: string | null;
  code: string;
  message: string;
}

interface Found {
  /** Records with an externalId that was issued before. */
  used: number;
  faults: Shown[];
  warnings: Shown[];
}

/** Lets the gateway check all records, and prints its findings. */
export async function dryRun(session: Session, manifest: Manifest, batchSize: number): Promise<void> {
  await issuerOf(session);
  const { drafts, headers } = manifest;
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
    faults.push(...found.faults.map(shown));
    warnings.push(...found.warnings.map(shown));
  }
  process.exitCode = faults.length === 0 ? exitCodes.ok : exitCodes.failed;
  await report(session, manifest, { used, faults: distinct(faults), warnings: distinct(warnings) });
}

/** Drops duplicates: a fault of an image is one of the thumbnail too. */
const distinct = (all: readonly Shown[]) =>
  [...new Set(all.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one) as Shown);

async function report({ json }: Session, { path, drafts }: Manifest, found: Found): Promise<void> {
  const { used, faults, warnings } = found;
  const files = filesOf(drafts).length;
  const valid = faults.length === 0;
  if (json) return printJson({ valid, records: drafts.length, used, files, faults, warnings });
  const line = ({ where, column, message, code }: Shown) =>
    `${path}: ${where ?? 'all records'}${column ? `, column "${column}"` : ''}: ${message} (${code})`;
  for (const fault of faults) say(line(fault));
  for (const warning of warnings) say(`Warning: ${line(warning)}`);
  const before = used > 0 ? `, ${used} of them with an externalId that was issued before` : '';
  const verdict = valid ? 'Nothing speaks against issuing them.' : 'Correct what is named above.';
  await print(`${drafts.length} records${before}, ${files} files. ${verdict} Nothing was sent.`);
}
