import { Command } from 'commander';
import { dryRun } from '../issue/dry-run.ts';
import { issueManifest } from '../issue/issue-manifest.ts';
import { faultLine, IssueReport, type Report } from '../issue/report.ts';
import { exitCodes, InterruptedError } from '../lib/exit-codes.ts';
import { print, printJson, progress, say } from '../lib/output.ts';
import { issuerOf, longRetrySeconds, openSession, parseWholeNumber } from '../lib/session.ts';
import { filesOf } from '../manifest/draft.ts';
import { readManifest } from '../manifest/manifest.ts';

/** A batch is one request to the service, which recommends at most 250 entries. */
const maxBatch = 250;

/** Failed records printed; the report has all. */
const shownFaults = 20;

export const issueCommand = new Command('issue')
  .summary('issue the records of a manifest')
  .description(
    `Issues the records of a manifest (.csv or .json): uploads their files, issues in batches, waits for the
outcome of each record, and writes a report beside the manifest.

Run the same command again after any failure, kill or Ctrl-C: it resumes where it stopped, and issues no record
twice. After you correct the manifest, it issues what is missing. The README of the package lists the columns.`,
  )
  .argument('<manifest>', 'the .csv or .json file')
  .option(
    '--files <folder>',
    'the folder of the files that the manifest names (default: that of the manifest)',
  )
  .option('--batch <records>', `records that are issued together, all or none (1 to ${maxBatch})`, '250')
  .option('--dry-run', 'check everything, but upload and issue nothing')
  .option('--retry', 'send rejected or cancelled batches again, with the manifest unchanged')
  .option('--report <file>', 'where to write the report (default: <manifest>.report.json)')
  .addHelpText(
    'after',
    `
Examples:
  $ srr issue records.csv --dry-run
  $ srr issue records.csv --files pictures
  $ srr issue records.json --json | jq .counts`,
  )
  .action(async (path: string, options: IssueOptions, command: Command) => {
    const batchSize = parseWholeNumber('--batch', options.batch, 1, maxBatch);
    const manifest = readManifest(path, options.files);
    const session = openSession(command, longRetrySeconds);
    const { drafts } = manifest;
    if (options.dryRun) return dryRun(session, manifest, batchSize);

    await issuerOf(session);
    const report = new IssueReport(manifest, session.url, options.report ?? `${path}.report.json`);
    report.write('RUNNING');
    const job = progress({ 'files uploaded': filesOf(drafts).length, 'records issued': drafts.length });
    let finalReport: Report;
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
          // Report it now, since the other batches may take hours. A single batch is reported at the end.
          if (drafts.length > batchSize)
            say(`${path}: ${batch[0]?.where} to ${batch.at(-1)?.where} were not issued. ${reason}`);
        },
      });
      finalReport = report.write('FINISHED');
    } catch (error) {
      const interrupted = error instanceof InterruptedError;
      say('Run the same command again to resume.');
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
    process.exitCode = finalReport.counts.issued === drafts.length ? exitCodes.ok : exitCodes.failed;
    await (session.json ? printJson(finalReport) : summarise(finalReport, path, report.path));
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
  // Print only one of the records that failed because of their batch: hundreds would hide the actual fault.
  const seen = new Set<string>();
  const distinct = failed.filter(({ error }) => {
    if (error?.code !== 'SRR_NOT_CREATED') return true;
    return !seen.has(error.message) && seen.add(error.message);
  });
  const shown = distinct.slice(0, shownFaults);
  for (const record of shown) say(faultLine(manifest, record));
  if (failed.length > shown.length) say(`… and ${failed.length - shown.length} more: see the report.`);
  if (records.some(({ status }) => status === 'FAILED' || status === 'CANCELLED'))
    say('Correct the manifest and run the command again, or use --retry if the manifest was not the reason.');
  await print(`${counts.issued} of ${counts.records} records issued. Report: ${report}`);
}
