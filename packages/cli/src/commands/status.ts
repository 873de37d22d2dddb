import { Command } from 'commander';
import { FailedError } from '../lib/exit-codes.ts';
import { faultText, type ToldFault } from '../lib/fault-text.ts';
import { fields, print, printJson } from '../lib/output.ts';
import { issuerOf, openSession, queried, shortPatience } from '../lib/session.ts';

interface Issuance {
  requestId: string;
  status: string;
  createdAt: string;
  completedAt: string | null;
  progress: { total: number; issued: number; failed: number; filesReady: number; filesTotal: number };
  error: ToldFault | null;
  history: { at: string; status: string; reason: string }[];
}

interface Entry {
  externalId: string;
  status: string;
  error: ToldFault | null;
  srr: { tokenId: string; contractAddress: string | null; metadataCID: string | null } | null;
  issuance: Issuance;
}

const issuanceFields = `
  id requestId status createdAt completedAt
  progress { total issued failed accepted filesReady filesTotal }
  error { code message upstreamMessage } history { at status reason }`;

const document = `query Status($name: String!) {
  issuance(requestId: $name) { ${issuanceFields} }
  entry: issuanceEntry(externalId: $name) {
    externalId status error { code message upstreamMessage }
    srr { tokenId contractAddress metadataCID }
    issuance { ${issuanceFields} }
  }
}`;

export const statusCommand = new Command('status')
  .summary('show the status of an issuance or a record')
  .description('Shows an issuance by its requestId, or one record by its externalId.')
  .argument('<id>', 'a requestId or an externalId')
  .addHelpText(
    'after',
    `
Examples:
  $ srr status work-17
  $ srr status srr-issue-3f0c… --json | jq -r .issuance.status`,
  )
  .action(async (name: string, _options: unknown, command: Command) => {
    const session = openSession(command, shortPatience);
    await issuerOf(session);
    const { issuance, entry } = await queried<{ issuance: Issuance | null; entry: Entry | null }>(
      session,
      document,
      { name },
    );
    if (!issuance && !entry) throw new FailedError(`There is no issuance and no record "${name}".`);
    if (session.json) return printJson({ issuance: issuance ?? entry?.issuance, entry });
    if (entry && !issuance) await print(...entryText(entry));
    await print(...issuanceText((issuance ?? entry?.issuance) as Issuance));
  });

const entryText = ({ externalId, status, error, srr }: Entry) =>
  fields([
    ['record', externalId],
    ['status', status],
    ['error', error && faultText(error)],
    ['token', srr?.tokenId],
    ['contract', srr?.contractAddress],
    ['metadata', srr?.metadataCID],
  ]);

function issuanceText({ requestId, status, progress, error, createdAt, completedAt, history }: Issuance) {
  const { total, issued, failed, filesReady, filesTotal } = progress;
  const rows = fields([
    ['issuance', requestId],
    ['status', status],
    ['error', error && faultText(error)],
    ['records', `${issued} of ${total} issued${failed > 0 ? `, ${failed} failed` : ''}`],
    ['files', filesTotal > 0 ? `${filesReady} of ${filesTotal} ready` : null],
    ['created', createdAt],
    ['completed', completedAt],
  ]);
  return [...rows, ...history.map((step) => `  ${step.at}  ${step.status}  ${step.reason}`)];
}
