import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '../../testing/document-rows.ts';
import { authenticationRuleCases, headerCases, missingHeaderCases } from './authentication-cases.ts';
import { Bench } from './bench.ts';
import type { Case, Cases, Table } from './cases.ts';
import { endpointCases, srrsCases, srrsRuleCases } from './endpoint-cases.ts';
import { attachmentCases, entryCases, resultCases } from './entry-cases.ts';
import {
  downstreamCases,
  entryCodeCases,
  envelopeCases,
  metadataDetailCases,
  requestMessageCases,
  statusCases,
} from './error-cases.ts';
import { categoryCases, fileCases, fileStateCases, signedUrlsCases } from './file-cases.ts';
import { eventCases, limitCases, versioningCases } from './limit-cases.ts';
import { entryStateCases, metadataCases } from './metadata-cases.ts';
import { checksInOrder } from './order-of-checks.ts';

const cases: Cases = {
  File: fileCases,
  'File category': categoryCases,
  'Issue entry': entryCases,
  'Attachment entry': attachmentCases,
  'Issue result': resultCases,
  Metadata: metadataCases,
  'Entry state': entryStateCases,
  'File state': fileStateCases,
  'signedUrls field': signedUrlsCases,
  'srrs field': srrsCases,
  'srrs rule': srrsRuleCases,
  Endpoint: endpointCases,
  'Authentication header': headerCases,
  'Authentication rule': authenticationRuleCases,
  Event: eventCases,
  Envelope: envelopeCases,
  'Status code': statusCases,
  'Entry code': entryCodeCases,
  'Request message': requestMessageCases,
  'Metadata detail': metadataDetailCases,
  '500 message': downstreamCases,
  '401 message': missingHeaderCases,
  Limit: limitCases,
  Versioning: versioningCases,
};

let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start();
});
afterAll(() => bench?.stop());

const tables = Object.keys(rows) as Table[];

it('every row of the document has its case, and every case its row', async () => {
  for (const table of tables) expect(Object.keys(cases[table]).toSorted()).toEqual(rows[table].toSorted());
  const lines = tables.flatMap((table) =>
    rows[table].map((row) => `| ${table} | ${row} | \`${table} > ${row}\` |`),
  );
  const head = '# Rows of the document, and the test of each\n\nAll are in `rows.test.ts`.\n\n';
  const list = `${head}| table | row | test |\n|---|---|---|\n${lines.join('\n')}\n`;
  await expect(list).toMatchFileSnapshot('rows.md');
});

it('a request that fails every check is refused for the first, in the documented order', () =>
  checksInOrder(bench));

describe.each(tables)('%s', (table) => {
  const ofTable: Record<string, Case> = cases[table];
  it.each(rows[table] as readonly string[])('%s', async (row) => {
    await (ofTable[row] as Case)(bench);
  });
});
