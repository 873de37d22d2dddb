import type { Address } from '@srr-gateway/common/address';
import { canonicalJson } from '@srr-gateway/common/canonical-json';
import { parseIpfsReference } from '../../clients/ipfs/ipfs.ts';
import type { MintedRecord } from '../../model/record.ts';
import type { Db } from '../../store/store.ts';
import type { EntryRow, Files } from '../flow.ts';
import { fileUrls } from '../metadata-document.ts';

/** Fields that the service rewrites or fills. It publishes the others unchanged. */
const rewritten = new Set([
  '$schema',
  '$schemaIntegrity',
  'thumbnailURL',
  'image',
  'external_url',
  'digitalComponents',
  // Only version 2.0 has it, and the service upgrades documents to the current version.
  'digitalDataHash',
  'attachmentFiles',
  'contractTerms',
]);

/** Known CIDs of published files, by the files' addresses. */
export type FileCids = ReadonlyMap<string, string>;

/** Reads the known CIDs of the files that the entries' documents name. */
export async function fileCids(
  files: Pick<Files, 'find'>,
  db: Db,
  issuer: Address,
  entries: EntryRow[],
): Promise<FileCids> {
  const urls = entries.flatMap((entry) => fileUrls(payloadOf(entry).metadata).map(({ url }) => url));
  const known = await files.find(db, issuer, { urls });
  return new Map(known.flatMap(({ finalUrl, cid }) => (cid === null ? [] : [[finalUrl, cid]])));
}

const payloadOf = (entry: EntryRow) =>
  entry.payload as {
    artistAddress: string;
    collectionAddress?: string;
    metadata: Record<string, unknown>;
  };

/** Entries grouped by those fields of their documents that the service publishes unchanged. */
interface Group<Entry> {
  names: readonly string[];
  byContent: Map<string, Entry[]>;
}

/**
 * Finds the entries that a record on chain may belong to, by artist, collection, and the caller's own fields of the
 * document. An index, because thousands of each may have to be compared.
 */
export class EntriesByContent<Entry extends EntryRow> {
  readonly #cids: FileCids;
  readonly #groups = new Map<string, Group<Entry>>();
  readonly #pairs = new Set<string>();

  constructor(entries: readonly Entry[], cids: FileCids) {
    this.#cids = cids;
    for (const entry of entries) {
      const { artistAddress, collectionAddress, metadata } = payloadOf(entry);
      const pair = artistAndCollection(artistAddress, collectionAddress);
      this.#pairs.add(pair);
      const names = Object.keys(metadata)
        .filter((name) => !rewritten.has(name))
        .sort();
      const name = JSON.stringify(names);
      const group = this.#groups.get(name) ?? { names, byContent: new Map() };
      this.#groups.set(name, group);
      const content = contentOf(pair, metadata, names);
      group.byContent.set(content, [...(group.byContent.get(content) ?? []), entry]);
    }
  }

  /** The entries that this record may belong to. Works of a series may differ only in their files. */
  of({ artist, collection, document }: MintedRecord): Entry[] {
    const pair = artistAndCollection(artist, collection);
    if (document === undefined || !this.#pairs.has(pair)) return [];
    const sameContent = [...this.#groups.values()].flatMap(
      ({ names, byContent }) => byContent.get(contentOf(pair, document, names)) ?? [],
    );
    if (sameContent.length === 0) return [];
    const text = JSON.stringify(document);
    const urlsOf = (entry: Entry) => fileUrls(payloadOf(entry).metadata).map(({ url }) => url);
    const possible = sameContent.filter((entry) =>
      urlsOf(entry).every((url) => text.includes(this.#cids.get(url) ?? '')),
    );
    // The service may write the caller's CIDs in another form, so they only decide between several entries.
    const named = possible.filter((entry) => {
      const given = urlsOf(entry).flatMap((url) => parseIpfsReference(url)?.cid ?? []);
      return given.length > 0 && given.every((cid) => text.includes(cid));
    });
    return named.length > 0 ? named : possible;
  }

  /** Whether the record's document could not be read, so that the record may belong to an entry. */
  mayFitUnread({ artist, collection, document, metadataCID }: MintedRecord): boolean {
    return (
      document === undefined &&
      metadataCID !== null &&
      this.#pairs.has(artistAndCollection(artist, collection))
    );
  }
}

const artistAndCollection = (artist: string | null, collection: string | null | undefined): string =>
  `${artist ?? ''} ${collection ?? ''}`.toLowerCase();

const contentOf = (pair: string, document: Record<string, unknown>, names: readonly string[]): string =>
  [pair, ...names.map((name) => canonicalJson(document[name]))].join('\n');
