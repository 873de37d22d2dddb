import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createClient, type IssueEntryInput, NotFoundError } from '@srr-gateway/client';

// node examples/import-csv.ts records.csv; the columns are externalId,artist,title,medium,year,picture (a path),
// without quotes. Kill it at any moment and run it again: every record is issued once.
const [, , file = 'records.csv'] = process.argv;
if (!existsSync(file)) {
  console.error(`${file} is missing. Usage: node examples/import-csv.ts <file>`);
  process.exit(2);
}
const { URL: url = 'http://127.0.0.1:4000/graphql', TOKEN: token = 'demo-token' } = process.env;
const client = createClient({ url, token, onRetry: ({ error }) => console.error(error.message) });
const csv = readFileSync(file, 'utf8');
// The requestId is derived from the file, so nothing has to be stored between two runs.
const requestId = `import-${createHash('sha256').update(csv).digest('hex')}`;

async function entryOf(line: string): Promise<IssueEntryInput> {
  const [externalId = '', artistAddress = '', name = '', medium = '', year = '', picture = ''] =
    line.split(',');
  const filename = `${externalId}-${picture.split('/').at(-1)}`;
  const image = { upload: (await client.upload(picture, { filename, category: 'NON_ATTACHMENT_FILE' })).id };
  const [title, yearOfCreation] = [{ en: name }, { en: year }];
  const metadata = { name, title, medium: { en: medium }, yearOfCreation, image, thumbnail: image };
  return { externalId, artistAddress, isPrimaryIssuer: true, lockExternalTransfer: false, metadata };
}

const before = client.issuance({ requestId });
const isNew = await before.stored.then(() => false).catch((error) => error instanceof NotFoundError);
const lines = csv.trim().split(/\r?\n/).slice(1);
const entries: IssueEntryInput[] = [];
// A long list would open all its files and connections at once.
for (let from = 0; isNew && from < lines.length; from += 8)
  entries.push(...(await Promise.all(lines.slice(from, from + 8).map(entryOf))));
const issuing = isNew ? client.issue(entries, { requestId }) : before;
for (const { externalId, status, srr } of (await issuing.done).entries)
  console.log(externalId, status, srr?.tokenId);
