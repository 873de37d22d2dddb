import { parseAddress } from '@srr-gateway/common/address';
import { describe, expect, it } from 'vitest';
import { type DeliveryReading, parseEntry } from './parse-entry.ts';

const one = parseAddress(`0x${'1'.repeat(40)}`);
const two = parseAddress(`0x${'2'.repeat(40)}`);
const read = (
  raw: Record<string, unknown>,
  kind = 'issue_complete',
  reading: Partial<DeliveryReading> = {},
) => parseEntry(kind, raw, { deliveryTypes: {}, ...reading });

describe('the ids of an entry', () => {
  it.each(['srr', 'collection', 'result'])('are found in `%s`, after those of the entry itself', (name) => {
    const inner = { externalId: 'inner', tokenId: '7', collectionContractAddress: two };
    expect(read({ [name]: inner })).toMatchObject({ externalId: 'inner', tokenId: '7', collection: two });
    expect(read({ externalId: 'outer', tokenId: '8', collectionAddress: one, [name]: inner })).toMatchObject({
      externalId: 'outer',
      tokenId: '8',
      collection: one,
    });
  });

  it.each([
    ['tokenId', '7', '7'],
    ['tokenId', 7, '7'],
    ['tokenId', 0, '0'],
    ['srrId', '7', '7'],
    ['srrId', `${one}-7`, '7'],
    ['tokenId', -7, null],
    ['tokenId', 7.5, null],
    ['tokenId', 2 ** 53, null],
    ['tokenId', '-7', null],
    ['tokenId', null, null],
    ['srrId', `${one}-`, null],
  ])('include a token id if it is one: %s %s', (name, value, tokenId) => {
    expect(read({ externalId: 'a', [name]: value }).tokenId).toBe(tokenId);
  });

  it('include the collection that is named, or else that of `srrId`', () => {
    const srrId = `${one}-7`;
    expect(read({ srrId }).collection).toBe(one);
    expect(read({ srrId, collectionAddress: two }).collection).toBe(two);
    expect(read({ srrId, collectionAddress: 'none' }).collection).toBe(one);
    expect(read({ collectionContractAddress: one, address: two }).collection).toBe(one);
  });

  it('include a collection in any letter case', () => {
    const anyCase = `0x${'aB'.repeat(20)}`;
    const collection = parseAddress(anyCase.toLowerCase());
    expect(read({ tokenId: '7', collectionContractAddress: anyCase }).collection).toBe(collection);
    expect(read({ srrId: `${anyCase}-7` }).collection).toBe(collection);
  });

  it('include no collection for a record of the registry', () => {
    expect(read({ srrId: `${one}-7` }, 'issue_complete', { registryAddress: one }).collection).toBeNull();
  });
});

describe('the type of an entry', () => {
  it.each([
    [{}, 'SRR_ISSUED'],
    [{ status: 'Minted' }, 'SRR_ISSUED'],
    [{ status: null }, 'SRR_ISSUED'],
    [{ success: true }, 'SRR_ISSUED'],
    [{ error: '' }, 'SRR_ISSUED'],
    [{ error: null }, 'SRR_ISSUED'],
    [{ error: false }, 'SRR_ISSUED'],
    [{ error: 'out of gas' }, 'UNRECOGNIZED'],
    [{ error: {} }, 'UNRECOGNIZED'],
    [{ success: false }, 'UNRECOGNIZED'],
    [{ status: 'failed' }, 'UNRECOGNIZED'],
    [{ status: 'waiting_for_mining' }, 'UNRECOGNIZED'],
    [{ status: ['issued'] }, 'UNRECOGNIZED'],
    [{ srr: { success: false } }, 'UNRECOGNIZED'],
  ])('of success is doubted if its own words contradict it: %o', (words, type) => {
    expect(read({ tokenId: '7', ...words }).type).toBe(type);
  });

  it.each([
    [{ error: 'out of gas', status: 'reverted', success: false }, 'SRR_FAILED'],
    [{ success: true }, 'UNRECOGNIZED'],
    [{ status: 'mined' }, 'UNRECOGNIZED'],
  ])('of failure is doubted if its own words contradict it: %o', (words, type) => {
    expect(read({ tokenId: '7', ...words }, 'issue_failed').type).toBe(type);
  });

  it('needs an id of the record', () => {
    expect(read({}).type).toBe('UNRECOGNIZED');
    expect(read({ externalId: 'a' }).type).toBe('SRR_ISSUED');
  });

  it('is that of WEBHOOK_TYPES first, and of no property that every object has', () => {
    const deliveryTypes = { issue_complete: 'SRR_FAILED' } as const;
    expect(read({ tokenId: '7' }, 'issue_complete', { deliveryTypes }).type).toBe('SRR_FAILED');
    expect(read({ tokenId: '7' }, 'constructor').type).toBe('UNRECOGNIZED');
  });
});

it('an entry is the same in another group and with its keys in another order, but not with another type', () => {
  const { dedupe } = read({ tokenId: '7', externalId: 'a', groupId: 1 });
  expect(read({ externalId: 'a', tokenId: '7', groupId: 2 }).dedupe).toBe(dedupe);
  expect(read({ externalId: 'a', tokenId: '7' }, 'issue_failed').dedupe).not.toBe(dedupe);
  expect(read({ externalId: 'b', tokenId: '7' }).dedupe).not.toBe(dedupe);
});

it('the message is the first text under message, reason or error', () => {
  expect(read({ error: 'c', reason: 'b', message: '' }, 'issue_failed').message).toBe('b');
  expect(read({ error: { code: 1 } }, 'issue_failed').message).toBeNull();
});
