import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/store/store.ts';
import { openTables } from '../../src/store/store.ts';
import type { EntryStatus } from '../../src/store/tables.ts';
import { type LoneGateway, loneIssuer, startLoneGateway } from '../_util/lone-gateway.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

let gateway: LoneGateway;
let db: Db;
beforeAll(async () => {
  gateway = await startLoneGateway();
  db = await openTables(gateway.database);
});
afterAll(() => gateway?.stop());

const other = `0x${'4'.repeat(40)}` as const;
let minute = 0;

/** Stores a completed issuance with these entries. Each issuance is newer than the one stored before. */
function issuance(
  entries: { externalId: string; status: EntryStatus; tokenId?: string }[],
  issuer: `0x${string}` = loneIssuer,
): Promise<string> {
  const createdAt = { created_at: new Date(Date.UTC(2026, 0, 1, 0, minute++)) } as object;
  return storeIssuance(db, issuer, {
    issuance: { status: 'COMPLETED', ...createdAt },
    batch: { status: 'ACCEPTED' },
    entries: entries.map(({ externalId, status, tokenId }) => ({
      external_id: externalId,
      status,
      token_id: tokenId ?? null,
      // The oldest was updated last, which must not decide which entry counts.
      updated_at: new Date(Date.UTC(2027, 0, 1, 0, 59 - minute)),
    })),
  });
}

const globalId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');

async function entryOf(externalId: string) {
  const { issuanceEntry } = await gateway.caller.data(
    'query ($of: String!) { issuanceEntry(externalId: $of) { id status externalId issuance { id } } }',
    { of: externalId },
  );
  return issuanceEntry;
}

describe('an entry found by externalId', () => {
  it('has an id of its own, by which only its issuer finds it as a node', async () => {
    const mine = await issuance([
      { externalId: 'x', status: 'FAILED' },
      { externalId: 'own', status: 'ISSUED' },
    ]);
    const theirs = await issuance([{ externalId: 'own', status: 'ISSUED' }], other);
    const entry = await entryOf('own');
    expect(entry).toEqual({
      id: globalId('IssuanceEntry', `${mine}:1`),
      status: 'ISSUED',
      externalId: 'own',
      issuance: { id: globalId('Issuance', mine) },
    });
    const ids = [entry.id, globalId('IssuanceEntry', `${mine}:0`), globalId('IssuanceEntry', `${theirs}:0`)];
    const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on IssuanceEntry { externalId } } }';
    expect((await gateway.caller.data(nodes, { ids })).nodes).toEqual([
      { id: ids[0], externalId: 'own' },
      { id: ids[1], externalId: 'x' },
      null,
    ]);
    expect((await gateway.anonymous.data(nodes, { ids })).nodes).toEqual([null, null, null]);
  });

  it.each([
    `x:0`,
    `${crypto.randomUUID()}`,
    `${crypto.randomUUID()}:-1`,
    `${crypto.randomUUID()}:99999999999`,
  ])('is null for a malformed id: %s', async (id) => {
    const { node } = await gateway.caller.data('query ($id: ID!) { node(id: $id) { id } }', {
      id: globalId('IssuanceEntry', id),
    });
    expect(node).toBeNull();
  });

  it('is null for an externalId that nobody used', async () => {
    expect(await entryOf('nobody')).toBeNull();
  });

  it.each<[string, EntryStatus[], number]>([
    ['the newest after a failure', ['FAILED', 'FAILED', 'PENDING'], 2],
    ['the issued one', ['ISSUED', 'FAILED', 'CANCELLED'], 0],
    ['the pending one, if none is issued', ['FAILED', 'WAITING_FOR_MINING', 'FAILED'], 1],
    ['the issued one, before a pending one', ['ISSUED', 'WAITING_FOR_MINING'], 0],
    ['the newest of several issued ones', ['ISSUED', 'ISSUED', 'FAILED'], 1],
  ])('is, of several with one externalId, %s', async (what, statuses, expected) => {
    const made: string[] = [];
    for (const status of statuses)
      made.push(await issuance([{ externalId: what, status, tokenId: `${minute}${statuses.length}` }]));
    expect((await entryOf(what)).issuance.id).toBe(globalId('Issuance', made[expected] as string));
  });

  it('is chosen by the same order as the issuance of a record', async () => {
    const tokenId = '777';
    const issued = await issuance([{ externalId: 'first', status: 'ISSUED', tokenId }]);
    await issuance([{ externalId: 'second', status: 'FAILED', tokenId }]);
    const { srr } = await gateway.caller
      .ask(`{ srr(tokenId: "${tokenId}") { issuance { issuance { id } } } }`)
      .then(({ data }) => data);
    expect(srr.issuance.issuance.id).toBe(globalId('Issuance', issued));
  });
});

describe('the id in cancelIssuance', () => {
  it.each([
    ['not an id', 'x', 'INVALID_INPUT'],
    ['the id of another type', globalId('SRR', '1'), 'INVALID_INPUT'],
    ['unknown', globalId('Issuance', crypto.randomUUID()), 'NOT_FOUND'],
  ])('is refused among the userErrors when it is %s', async (_what, id, code) => {
    const { cancelIssuance } = await gateway.caller.data(
      'mutation ($id: ID!) { cancelIssuance(input: { id: $id }) { issuance { id } userErrors { code path } } }',
      { id },
    );
    expect(cancelIssuance).toEqual({ issuance: null, userErrors: [{ code, path: ['input', 'id'] }] });
  });

  it('is refused with the status of an issuance that no longer waits for files', async () => {
    const id = await issuance([{ externalId: 'sent', status: 'ISSUED' }]);
    const { cancelIssuance } = await gateway.caller.data(
      'mutation ($id: ID!) { cancelIssuance(input: { id: $id }) { userErrors { code message } } }',
      { id: globalId('Issuance', id) },
    );
    const message = expect.stringContaining('The issuance is COMPLETED');
    expect(cancelIssuance.userErrors).toEqual([{ code: 'INVALID_INPUT', message }]);
  });
});

describe('a malformed or foreign id', () => {
  it.each([
    ['issuance', 'x'],
    ['issuance', globalId('IssuanceEntry', `${crypto.randomUUID()}:0`)],
    ['collectionCreation', 'x'],
    ['collectionCreation', globalId('Issuance', crypto.randomUUID())],
  ])('fails only the field %s, with its input path: %s', async (field, id) => {
    const { data, errors = [] } = await gateway.caller.ask(
      `query ($id: ID!) { ${field}(id: $id) { id } viewer { issuer } }`,
      { id },
    );
    expect(data).toEqual({ [field]: null, viewer: { issuer: expect.any(String) } });
    expect(errors).toMatchObject([
      { path: [field], extensions: { code: 'INVALID_INPUT', inputPath: ['id'] } },
    ]);
  });
});
