import { CursorExpiredError, type GatewayError } from '@srr-gateway/client';
import { Command, Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { FailedError, UsageError } from '../lib/exit-codes.ts';
import { printFile, printJson, say } from '../lib/output.ts';
import { recordFields, rowNames, rowOf, type ShownRecord } from '../lib/record-document.ts';
import { longPatience, openSession, type Session } from '../lib/session.ts';

/** Records per request, few because their metadata documents are read too. */
const pageSize = 100;

const document = `query Export($first: Int!, $after: String, $where: SRRFilter) {
  srrs(first: $first, after: $after, where: $where, orderBy: CREATED_AT_ASC) {
    edges { node { ${recordFields} } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Page {
  srrs: {
    edges: { node: ShownRecord | null }[] | null;
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

export const exportCommand = new Command('export')
  .summary('print all records of a filter')
  .description(
    `Prints all records that meet every condition, oldest first, as JSON lines or CSV. Needs no token. All
pages are read at one block, so nothing repeats and nothing is left out.`,
  )
  .addOption(new Option('--format <format>', 'of the output').choices(['jsonl', 'csv']).default('jsonl'))
  .addOption(
    new Option(
      '--bom',
      'begin the CSV with a byte order mark, without which Excel garbles Japanese and other letters',
    ).implies({ format: 'csv' }),
  )
  .option('--issuer <address>', 'issued by this licensed user')
  .option('--artist <address>', 'by this artist')
  .option('--artist-name <text>', 'by an artist with this text in the name')
  .option('--owner <address>', 'owned by this address')
  .option('--collection <address>', 'in this collection')
  .option('--created-after <time>', 'minted after this time, such as 2026-05-12T09:30:00Z')
  .option('--created-before <time>', 'minted before this time')
  .option('--updated-after <time>', 'changed after this time')
  .option('--updated-before <time>', 'last changed before this time')
  .addHelpText(
    'after',
    `
Examples:
  $ srr export --bom > records.csv
  $ srr export --owner 0xfB69… --created-after 2026-01-01T00:00:00Z | jq -r .tokenId`,
  )
  .action(async ({ bom, ...options }: { bom?: true } & Record<string, string>, command: Command) => {
    const session = openSession(command, longPatience);
    const { format, artistName, ...conditions } = options;
    // Every name contains the empty text, so an unset variable of a script would export all records.
    if (artistName === '') throw new UsageError('--artist-name: is empty.');
    const where = { ...conditions, ...(artistName !== undefined && { artistNameContains: artistName }) };
    const csv = (rows: object[], isFirst: boolean) =>
      stringify(rows, { ...table, header: isFirst, bom: isFirst && bom });
    let first = true;
    let total = 0;
    let gaps = 0;
    for await (const { records, errors } of pages(session, where)) {
      gaps += errors.length + records.filter(isUnread).length;
      total += records.length;
      if (format !== 'csv') for (const record of records) await printJson(record);
      else if (records.length > 0 || first) await printFile(csv(records.map(rowOf), first));
      first = false;
    }
    say(`${total} records.`);
    if (gaps > 0)
      throw new FailedError(`${gaps} parts of them could not be read and are empty: see metadataStatus.`);
  });

/** The document exists, but no source delivers it now, which is not an error of the answer. */
const isUnread = ({ metadataStatus }: ShownRecord) =>
  metadataStatus === 'TIMEOUT' || metadataStatus === 'UNAVAILABLE';

/** Escapes cells that a spreadsheet would take for a formula. */
const table = { columns: rowNames, escape_formulas: true, cast: { boolean: String } };

async function* pages(
  session: Session,
  where: object,
): AsyncGenerator<{ records: ShownRecord[]; errors: readonly GatewayError[] }> {
  for (let after: string | null = null; ; ) {
    const variables: Record<string, unknown> = { first: pageSize, after, where };
    const answer = await session.client
      .query<Page>(document, variables, { signal: session.signal })
      .catch((error: unknown) => {
        if (error instanceof CursorExpiredError) return error;
        throw error;
      });
    if (answer instanceof CursorExpiredError) {
      // The block of this list is gone: continue at the newest one.
      after = answer.extensions.continueAfter as string;
      say('The block of this list is gone. Continuing at the newest one.');
      continue;
    }
    const { data, errors } = answer;
    const { edges, pageInfo }: Partial<Page['srrs']> = data.srrs ?? {};
    if (!edges) throw errors[0] ?? new FailedError('The gateway answered without the list.');
    yield { records: edges.flatMap(({ node }) => (node ? [node] : [])), errors };
    if (!pageInfo?.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}
