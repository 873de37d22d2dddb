import { Command } from 'commander';
import { FailedError } from '../lib/exit-codes.ts';
import { fields, print, printJson, say } from '../lib/output.ts';
import { type RecordOutput, recordFields, rowOf } from '../lib/record-document.ts';
import { openSession, shortRetrySeconds } from '../lib/session.ts';

const document = `query Get($tokenId: TokenId!, $collection: Address) {
  srr(tokenId: $tokenId, collection: $collection) { indexing ${recordFields} }
}`;

const searchedIn = (collection?: string) =>
  collection ? `the collection ${collection}.` : 'the registry. If it is in a collection, add --collection.';

export const getCommand = new Command('get')
  .summary('show a record')
  .description('Shows a record, with its metadata checked against its CID. Needs no token.')
  .argument('<tokenId>', 'the token id')
  .option('--collection <address>', 'the contract of its collection; without it, the registry')
  .addHelpText(
    'after',
    '\nExamples:\n  $ srr get 128261667842\n  $ srr get 128261667842 --json | jq .metadata.title.all',
  )
  .action(async (tokenId: string, { collection }: { collection?: string }, command: Command) => {
    const session = openSession(command, shortRetrySeconds);
    const { data, errors } = await session.client.query<{ srr: RecordOutput | null }>(
      document,
      { tokenId, collection },
      { signal: session.signal },
    );
    const { indexing, ...record } = data.srr ?? {};
    // Without the subgraph it is unknown whether the record exists.
    if (!data.srr || indexing === 'UNAVAILABLE')
      throw errors[0] ?? new FailedError(`There is no record ${tokenId} in ${searchedIn(collection)}`);
    // A source that is down costs only its own part of the record.
    for (const error of errors) say(`${error.path?.join('.')}: ${error.message}`);
    await (session.json ? printJson(record) : print(...fields(Object.entries(rowOf(record)))));
  });
