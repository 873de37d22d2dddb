import { expect, it } from 'vitest';
import { entryOf } from '../../examples/gallery/src/issue/entry.ts';

const rateOf = (royalty: string) => {
  const texts = { id: 'a', filename: 'a.png', title: 'A', medium: 'Oil', year: '2026', artist: '0x12' };
  const draft = { requestId: 'a', collection: '', works: [], phase: 'editing' } as const;
  const { metadata } = entryOf({ ...texts, royalty }, { ...draft, works: [] });
  return JSON.parse(JSON.stringify(metadata)).contractTerms?.royaltyRate;
};

it.each([
  ['', undefined],
  ['12.5', 12.5],
  // Keyboards of many countries have only the comma.
  ['12,5', 12.5],
  // Passed on as text, so that the gateway refuses it. As null it would mean no royalty.
  ['10 %', '10 %'],
])('the royalty "%s" of the gallery’s form goes as %j', (typed, sent) => {
  expect(rateOf(typed)).toBe(sent);
});
