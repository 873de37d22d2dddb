import { expect, it } from 'vitest';
import { differenceOf, type EarlierEntry, earlierEntries } from './earlier-entries.ts';

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const title = { en: 'One', ja: '一' };

it.each([
  ['the same values', { name: 'One', metadata: { title } }, { metadata: { title }, name: 'One' }, undefined],
  ['an address in other letter case', { to: address }, { to: address.toLowerCase() }, undefined],
  [
    'defaults that it leaves out',
    { name: 'One', to: address, size: { unit: 'cm' } },
    { name: 'One' },
    undefined,
  ],
  ['any value, if the details were deleted', {}, { name: 'One' }, undefined],
  ['a name in other letter case', { name: 'One' }, { name: 'one' }, 'name'],
  ['another address', { to: address }, { to: `0x${'1'.repeat(40)}` }, 'to'],
  [
    'another text in one language',
    { metadata: { title } },
    { metadata: { title: { ...title, ja: '二' } } },
    'metadata.title.ja',
  ],
  ['a value that was left out', { name: 'One', to: null }, { name: 'One', to: address }, 'to'],
  ['one more item of a list', { chips: ['1'] }, { chips: ['1', '2'] }, 'chips'],
])('a record is compared with the earlier one of its externalId: %s', (_what, input, entry, path) => {
  expect(differenceOf({ input } as unknown as EarlierEntry, entry)?.path.join('.')).toBe(path);
});

it('an earlier entry blocks its externalId, unless it was refused or cancelled', async () => {
  const entries: Record<string, { status: string; error?: { code: string } }> = {
    issued: { status: 'ISSUED' },
    waiting: { status: 'WAITING_FOR_MINING' },
    'not mined': { status: 'FAILED', error: { code: 'MINING_FAILED' } },
    refused: { status: 'FAILED', error: { code: 'INVALID_INPUT' } },
    cancelled: { status: 'CANCELLED' },
  };
  const ids = [...Object.keys(entries), 'new'];
  const query = async (_document: string, variables: Record<string, string>) => ({
    data: Object.fromEntries(Object.values(variables).map((id, i) => [`e${i}`, entries[id] ?? null])),
    errors: [],
  });
  const batch = ids.map((externalId) => ({ where: '', externalId, entry: {}, faults: [] }));
  const found = await earlierEntries({ client: { query } } as never, batch);
  expect([...found.keys()].map(({ externalId }) => externalId)).toEqual(['issued', 'waiting', 'not mined']);
});
