import { type Caller, requireIssuer } from '../../access/caller.ts';
import type { Catalog, CatalogRequest, MetadataResult } from '../../catalog/catalog.ts';
import { type IssuanceLoaders, issuanceLoaders } from '../../issuance/issuance-loaders.ts';
import type { Issuances } from '../../issuance/issuances.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { type Diagnostics, publish } from '../../observability/telemetry.ts';
import type { UploadSession } from '../../uploads/upload-session.ts';
import type { Uploads } from '../../uploads/uploads.ts';

interface LoaderSources {
  services: { issuances: Pick<Issuances, 'reads'>; uploads: Pick<Uploads, 'session'> };
  catalog: Catalog;
}

/**
 * Loaders and caches that must not outlive one execution: each event of a subscription gets its own. Each is created
 * on first use: most operations need one, and a waiting subscription needs none.
 */
export class Loaders {
  readonly #deps: LoaderSources;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  #reads: CatalogRequest | undefined;
  #issuances: IssuanceLoaders | undefined;
  #uploads: UploadSession | undefined;
  /** Set once a resolver has read something of the caller's own. */
  usesCaller = false;
  /** Set by a resolver whose value may be another at the next request without a new block, so it is not cached. */
  mayChangeWithoutNewBlock = false;
  /** Results of documents that are missing or not verified. A request reads each document once. */
  #unsure: Set<MetadataResult> | undefined;

  constructor(deps: LoaderSources, caller: Caller, signal: AbortSignal, reads?: CatalogRequest) {
    this.#deps = deps;
    this.#caller = caller;
    this.#signal = signal;
    this.#reads = reads;
  }

  /** Whether reading again at the same block gives the same: no value changes by itself, and nothing is missing. */
  get complete(): boolean {
    return !this.mayChangeWithoutNewBlock && !this.#unsure && (this.#reads?.complete ?? true);
  }

  /** Hash of the newest block, if the next block may change what was read; undefined if no block can. */
  get newestBlock(): string | undefined {
    return this.#reads?.newestBlock?.hash;
  }

  /** The metadata document of a digest that a record names; see `DocumentReader.read`. */
  metadata(...which: Parameters<CatalogRequest['documents']['read']>): MaybePromise<MetadataResult> {
    return after(this.reads.documents.read(...which), (result) => this.#countMissing(result, 'record'));
  }

  /** The metadata document that the caller names: by its CID, or by its id (see `documentId`). */
  async namedMetadata(name: { cid: string } | { id: string }): Promise<MetadataResult> {
    const result = await this.reads.documents.readNamed(name);
    return this.#countMissing(result, 'caller');
  }

  #countMissing(result: MetadataResult, origin: Diagnostics['missingDocument']['origin']): MetadataResult {
    const { status } = result;
    if (status === 'VERIFIED' || this.#unsure?.has(result)) return result;
    this.#unsure ??= new Set();
    this.#unsure.add(result);
    // An UNVERIFIED document is shown, and a PENDING one has no CID to search for.
    if (status !== 'UNVERIFIED' && status !== 'PENDING') publish('missingDocument', { status, origin });
    return result;
  }

  get reads(): CatalogRequest {
    this.#reads ??= this.#deps.catalog.request(this.#signal);
    return this.#reads;
  }

  get issuances(): IssuanceLoaders {
    this.usesCaller = true;
    const issuer = this.#caller.kind === 'issuer' ? this.#caller.issuer : undefined;
    this.#issuances ??= issuanceLoaders(this.#deps.services.issuances.reads, issuer);
    return this.#issuances;
  }

  /** @throws UNAUTHENTICATED for an anonymous caller. */
  get uploads(): UploadSession {
    this.usesCaller = true;
    const { credentials } = requireIssuer({ caller: this.#caller });
    this.#uploads ??= this.#deps.services.uploads.session(credentials, this.#signal);
    return this.#uploads;
  }
}
