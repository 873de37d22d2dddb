import { exitCodes } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import { issuerOf, type Session } from '../lib/session.ts';
import { columnAt, inRows, splitPath } from '../manifest/columns.ts';
import { filesOf, withFiles } from '../manifest/draft.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { batchesOf } from './batch.ts';
import { check, type Fault } from './check.ts';
import { differenceOf, earlierEntries } from './earlier-entries.ts';

interface Finding {
  where: string | null;
  column: string | null;
  code: string;
  message: string;
}

interface Summary {
  /** Records with an externalId that was issued before. */
  used: number;
  faults: Finding[];
  warnings: Finding[];
}

/** Lets the gateway check all records, and prints its findings. */
export async function dryRun(session: Session, manifest: Manifest, batchSize: number): Promise<void> {
  await issuerOf(session);
  const { drafts, headers } = manifest;
  const faults: Finding[] = [];
  const warnings: Finding[] = [];
  let used = 0;
  for (const batch of batchesOf(drafts, batchSize)) {
    const [found, earlier] = await Promise.all([check(session, batch), earlierEntries(session, batch)]);
    used += earlier.size;
    const toFinding = ({ code, message, path: at }: Fault): Finding => {
      const { index, inEntry } = splitPath(at);
      const draft = index === undefined ? undefined : batch[index];
      return {
        where: draft?.where ?? null,
        column: columnAt(inEntry, headers, draft?.entry) ?? null,
        code,
        message: inRows(message, batch),
      };
    };
    for (const [{ where, entry }, before] of earlier) {
      // Nothing is uploaded, so files cannot be compared.
      const fault = differenceOf(before, { ...(withFiles(entry, () => null) as object), attachments: null });
      if (fault) faults.push({ ...toFinding(fault), where });
    }
    faults.push(...found.faults.map(toFinding));
    warnings.push(...found.warnings.map(toFinding));
  }
  process.exitCode = faults.length === 0 ? exitCodes.ok : exitCodes.failed;
  await report(session, manifest, { used, faults: distinct(faults), warnings: distinct(warnings) });
}

/** Without a thumbnail of its own a record uses the image, whose fault is then reported twice. */
const distinct = (all: readonly Finding[]) =>
  [...new Set(all.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one) as Finding);

async function report({ json }: Session, { path, drafts }: Manifest, found: Summary): Promise<void> {
  const { used, faults, warnings } = found;
  const files = filesOf(drafts).length;
  const valid = faults.length === 0;
  if (json) return printJson({ valid, records: drafts.length, used, files, faults, warnings });
  const line = ({ where, column, message, code }: Finding) =>
    `${path}: ${where ?? 'all records'}${column ? `, column "${column}"` : ''}: ${message} (${code})`;
  for (const fault of faults) say(line(fault));
  for (const warning of warnings) say(`Warning: ${line(warning)}`);
  const before = used > 0 ? `, ${used} of them with an externalId that was issued before` : '';
  const verdict = valid ? 'No faults found.' : 'Correct the faults above.';
  await print(`${drafts.length} records${before}, ${files} files. ${verdict} Nothing was sent.`);
}
