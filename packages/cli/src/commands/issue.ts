import { Command } from 'commander';
import { dryRun } from '../issue/dry-run.ts';
import { issueManifest } from '../issue/issue-manifest.ts';
import { faultLine, IssueReport, type Report } from '../issue/report.ts';
import { exitCodes, InterruptedError } from '../lib/exit-codes.ts';
import { print, printJson, progress, say } from '../lib/output.ts';
import { issuerOf, longPatience, numberOf, openSession } from '../lib/session.ts';
import { filesOf } from '../manifest/draft.ts';
import { readManifest } from '../manifest/manifest.ts';

/** The service recommends at most this many in one request, and each batch is one. */
const maxBatch = 250;

/** Failed records shown; the report has all. */
const shownFaults = 20;

export const issueCommand = new Command('issue')
  .summary('issue the records of a manifest')
  .description(
    `Issues the records of a manifest (.csv or .json): uploads their files, issues in batches, waits for the
outcome of each record, and writes a report beside the manifest.

Run the same command again after any failure, kill or Ctrl-C: it goes on where it was, and issues no record
twice. After a correction of the manifest it issues what is missing. The package's README has the columns.`,
  )
  .argument('<manifest>', 'the .csv or .json file')
  .option('--files <folder>', 'where the paths of the manifest begin (default: the folder of the manifest)')
  .option('--batch <records>', `records that are issued together, all or none (1 to ${maxBatch})`, '250')
  .option('--dry-run', 'check everything, upload and issue nothing')
  .option('--retry', 'send batches again that were rejected or cancelled, without a change of the manifest')
  .option('--report <file>', 'where the report goes (default: <manifest>.report.json)')
  .addHelpText(
    'after',
    `
Examples:
  $ srr issue records.csv --dry-run
  $ srr issue records.csv --files pictures
  $ srr issue records.json --json | jq .counts`,
  )
  .action(async (path: string, options: IssueOptions, command: Command) => {
    const batchSize = numberOf('--batch', options.batch, 1, maxBatch);
    const manifest = readManifest(path, options.files);
    const session = openSession(command, longPatience);
    const { drafts } = manifest;
    if (options.dryRun) return dryRun(session, manifest, batchSize);

    await issuerOf(session);
    const report = new IssueReport(manifest, session.url, options.report ?? `${path}.report.json`);
    report.write('RUNNING');
    const job = progress({ 'files uploaded': filesOf(drafts).length, 'records issued': drafts.length });
    let printed: Report;
    try {
      await issueManifest({
        session,
        report,
        drafts,
        batchSize,
        retry: options.retry ?? false,
        onUploaded: (count) => job.set('files uploaded', count),
        onIssued: (count) => job.set('records issued', count),
        onRefused: (batch, reason) => {
          // Report now, because the other batches may take hours. With a single batch the end of the run reports it.
          if (drafts.length > batchSize)
            say(`${path}: ${batch[0]?.where} to ${batch.at(-1)?.where} are not issued. ${reason}`);
        },
      });
      printed = report.write('FINISHED');
    } catch (error) {
      const interrupted = error instanceof InterruptedError;
      say('Run the same command again to continue.');
      try {
        report.write(interrupted ? 'INTERRUPTED' : 'STOPPED');
      } catch (unwritten) {
        const { message } = unwritten as Error;
        if (message !== (error as Error).message) say(message);
      }
      throw error;
    } finally {
      job.end();
    }
    process.exitCode = printed.counts.issued === drafts.length ? exitCodes.ok : exitCodes.failed;
    await (session.json ? printJson(printed) : summarise(printed, path, report.path));
  });

interface IssueOptions {
  files?: string;
  batch: string;
  dryRun?: boolean;
  retry?: boolean;
  report?: string;
}

async function summarise({ counts, records }: Report, manifest: string, report: string): Promise<void> {
  const failed = records.filter(({ status }) => status !== 'ISSUED');
  // Show records that failed only because of others in their batch once: hundreds would hide the fault.
  const printed = new Set<string>();
  const telling = failed.filter(({ error }) => {
    if (error?.code !== 'SRR_NOT_CREATED') return true;
    return !printed.has(error.message) && printed.add(error.message);
  });
  const shown = telling.slice(0, shownFaults);
  for (const record of shown) say(faultLine(manifest, record));
  if (failed.length > shown.length) say(`… and ${failed.length - shown.length} more: see the report.`);
  if (records.some(({ status }) => status === 'FAILED' || status === 'CANCELLED'))
    say(
      'Correct what is named and run it again, or use --retry where nothing in the manifest was the reason.',
    );
  await print(`${counts.issued} of ${counts.records} records issued. Report: ${report}`);
}
