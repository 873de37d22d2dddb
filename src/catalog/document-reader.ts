import type { Ipfs, IpfsReader } from '../clients/ipfs/ipfs.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { type RecordKey, recordKeyText } from '../model/record.ts';
import type { LegacyDocuments } from './legacy-documents.ts';
import { isLegacyDigest, type MetadataResult, parseDocumentId, readMetadata } from './metadata-result.ts';

/**
 * Reads metadata documents, each once in a request, and resolves the addresses in them. Operations read through
 * `Loaders`, which track missing documents; the recovery of issuances reads here.
 */
export class DocumentReader {
  readonly #ipfs: Ipfs;
  readonly #legacy: LegacyDocuments | undefined;
  readonly #signal: AbortSignal;
  readonly #results = new Map<string, MaybePromise<MetadataResult>>();
  /** Total length of the documents, each counted as often as it was requested. */
  bytes = 0;

  constructor({ ipfs, legacy }: { ipfs: Ipfs; legacy?: LegacyDocuments | undefined }, signal: AbortSignal) {
    this.#ipfs = ipfs;
    this.#legacy = legacy;
    this.#signal = signal;
  }

  /**
   * The metadata document of a digest on chain, or why there is none. `record` is one that has the digest:
   * documents from before 2023 are found by their record.
   */
  read(digest: string, record?: { readonly key: RecordKey }): MaybePromise<MetadataResult> {
    return this.#counted(digest, record?.key, this.#ipfs);
  }

  /** The document that a caller names, by its CID or its id (see `documentId`). NOT_FOUND for any other id. */
  async readNamed(name: { cid: string } | { id: string }): Promise<MetadataResult> {
    const named = 'cid' in name ? { digest: name.cid, key: undefined } : parseDocumentId(name.id);
    return named ? this.#counted(named.digest, named.key, this.#ipfs.named) : { status: 'NOT_FOUND' };
  }

  #counted(digest: string, record: RecordKey | undefined, ipfs: IpfsReader): MaybePromise<MetadataResult> {
    return after(this.#once(digest, record, ipfs), (result) => {
      this.bytes += result.bytes ?? 0;
      return result;
    });
  }

  #once(digest: string, record: RecordKey | undefined, ipfs: IpfsReader): MaybePromise<MetadataResult> {
    const key = isLegacyDigest(digest) ? record : undefined;
    const name = key ? `${digest} ${recordKeyText(key)}` : digest;
    const known = this.#results.get(name);
    if (known) return known;
    const result = this.#read(digest, key, ipfs);
    this.#results.set(name, result);
    if (result instanceof Promise)
      result.then(
        (known) => this.#results.set(name, known),
        () => {},
      );
    return result;
  }

  #read(digest: string, key: RecordKey | undefined, ipfs: IpfsReader): MaybePromise<MetadataResult> {
    if (!isLegacyDigest(digest)) return readMetadata(ipfs, digest, this.#signal);
    return this.#legacy?.read(digest, key, this.#signal) ?? { status: 'UNAVAILABLE' };
  }

  /** The address at which a browser can load a record's document; undefined when no source serves it. */
  urlOf(digest: string, record: { readonly key: RecordKey }): string | undefined {
    return isLegacyDigest(digest) ? this.#legacy?.urlOf(record.key) : this.#ipfs.url(digest);
  }

  /** The IPFS content that `text` names, and its address for a browser; undefined when it names none. */
  media(text: string): ReturnType<Ipfs['reference']> {
    return this.#ipfs.reference(text);
  }
}
