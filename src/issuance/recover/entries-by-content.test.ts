import { describe, expect, it } from 'vitest';
import type { MintedRecord } from '../../model/record.ts';
import type { EntryRow } from '../flow.ts';
import { EntriesByContent } from './entries-by-content.ts';

const artist = `0x${'aB'.repeat(20)}`;
const picture = (name: string) => `https://files.example/${name}`;

const entry = (metadata: object, more: object = {}) =>
  ({ payload: { artistAddress: artist, metadata, ...more } }) as unknown as EntryRow;
const minted = (document: object | undefined, more: Partial<MintedRecord> = {}): MintedRecord => ({
  tokenId: '1',
  collection: null,
  artist: artist.toLowerCase(),
  metadataCID: 'a-cid',
  document: document as Record<string, unknown> | undefined,
  ...more,
});

describe('a record on chain', () => {
  const sea = entry({ name: 'Sea', size: { width: 2, height: 1 }, image: picture('sea') });
  const land = entry({ name: 'Land', size: { width: 2, height: 1 }, image: picture('land') });
  const noted = entry({ name: 'Sea', note: 'second version', image: picture('sea') });
  const entries = new EntriesByContent([sea, land, noted], new Map([[picture('sea'), 'cid-of-sea']]));

  it('belongs to an entry when its document has all fields of the entry, in any order', () => {
    const document = { size: { height: 1, width: 2 }, image: 'ipfs://cid-of-sea', name: 'Sea', minted: true };
    expect(entries.of(minted(document))).toEqual([sea]);
    expect(entries.of(minted({ ...document, note: 'second version' }))).toEqual([sea, noted]);
    expect(entries.of(minted({ ...document, name: 'Lake' }))).toEqual([]);
  });

  it('belongs to an entry of version 2.0 whose hash its document has in a newer field', () => {
    const hash = `sha256-${'0'.repeat(64)}`;
    const old = entry({ name: 'Sea', isDigital: true, digitalDataHash: hash });
    const upgraded = { name: 'Sea', isDigital: true, digitalComponents: [{ category: 'artwork', hash }] };
    expect(new EntriesByContent([old], new Map()).of(minted(upgraded))).toEqual([old]);
  });

  it('does not belong to an entry with another file, artist or collection', () => {
    const document = { name: 'Sea', size: { width: 2, height: 1 }, image: 'ipfs://cid-of-land' };
    expect(entries.of(minted(document))).toEqual([]);
    const right = { ...document, image: 'ipfs://cid-of-sea' };
    expect(entries.of(minted(right, { artist: null }))).toEqual([]);
    expect(entries.of(minted(right, { collection: `0x${'1'.repeat(40)}` }))).toEqual([]);
  });

  it('belongs to the one of several similar entries that has the same CID', () => {
    const [one, two] = [
      'bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte',
      'bafkreid6icjgs57233d4c5563zsdgjvila3ots5sarrjqxhab2jd6fcrd4',
    ];
    const ofContent = (cid: string) =>
      entry({ name: 'Untitled', image: `ipfs://${cid}`, thumbnailURL: `https://cdn.example/ipfs/${cid}` });
    const alike = [ofContent(one), ofContent(two)];
    const series = new EntriesByContent(alike, new Map());
    expect(series.of(minted({ name: 'Untitled', image: `ipfs://${two}` }))).toEqual([alike[1]]);
    // The service may write a CID in another form.
    expect(series.of(minted({ name: 'Untitled', image: 'ipfs://Qm' }))).toEqual(alike);
  });

  it('may belong to any entry of its artist while its document cannot be read', () => {
    expect(entries.mayFitUnread(minted(undefined))).toBe(true);
    expect(entries.mayFitUnread(minted(undefined, { metadataCID: null }))).toBe(false);
    expect(entries.mayFitUnread(minted(undefined, { artist: '0x1' }))).toBe(false);
    expect(entries.mayFitUnread(minted({ name: 'Sea' }))).toBe(false);
  });
});

it('five thousand records are compared with a thousand entries within the timeout of a test', () => {
  const documentOf = (i: number) => ({ name: `Work ${i}`, description: 'x'.repeat(2_000) });
  const all = Array.from({ length: 1_000 }, (_, i) => entry(documentOf(i)));
  const entries = new EntriesByContent(all, new Map());
  const found = Array.from({ length: 5_000 }, (_, i) => entries.of(minted(documentOf(i))).length);
  expect(found.reduce((sum, count) => sum + count, 0)).toBe(1_000);
});
