import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { IssueRequest, IssueResult } from '../../../src/clients/commerce/commerce.ts';
import { readRefusal } from '../../../src/clients/commerce/refusal.ts';
import { UpstreamError } from '../../../src/model/errors.ts';

/** What may happen to the next request to the service, all within its document. */
export const fates = [
  'ok',
  'not reached',
  'lost before',
  'lost after',
  'crash before',
  'crash after',
  '500 before',
  '500 before, key logged',
  '500 after',
  '502 after',
  'sent twice',
] as const;
export type Fate = (typeof fates)[number];

/** Thrown when the gateway's process dies during a call. */
export class Crash extends Error {}

export interface ServiceEntry {
  externalId: string;
  tokenId: string;
  /** Whether its transaction succeeds eventually. */
  mintable: boolean;
  minted: boolean;
}

/** A model of the issuance service for one batch: as documented, it accepts each key and content once. */
export class ModelService {
  /** The refusal of a request whose content was already accepted. */
  readonly #saysDuplicate: string;
  readonly entries: ServiceEntry[];
  accepted = false;
  /** Whether a request has reached it; before that it sends no delivery. */
  reached = false;
  /** The records that the subgraph shows: those on chain when it last caught up. */
  indexed = new Set<string>();
  indexIsCurrent = false;
  /** Whether an IPFS gateway delivers the documents of the records. */
  documents = true;
  /** Whether the issuer has so many newer records that a search does not reach these. */
  isBuried = false;
  /** Whether a search reaches all records of the issuer. */
  isWhole = true;
  /** From when the last search looked. */
  searchedSince: Date | undefined;
  readonly #keys = new Set<string>();
  #requests = 0;
  #fates: Fate[] = [];

  constructor(entries: ServiceEntry[], saysDuplicate: string) {
    this.entries = entries;
    this.#saysDuplicate = saysDuplicate;
  }

  /** Consumed from the front; `ok` when there is none left. A copy, because a retry of a test gives the same list. */
  set fates(fates: Fate[]) {
    this.#fates = [...fates];
  }

  get fates(): Fate[] {
    return this.#fates;
  }

  issue({ requestId, payload }: IssueRequest): IssueResult[] {
    const fate = this.#fates.shift() ?? 'ok';
    if (fate === 'not reached') throw lost(false);
    if (fate === 'lost before') throw lost(true);
    if (fate === 'crash before') throw new Crash();
    this.reached = true;
    if (fate === '500 before, key logged') this.#keys.add(requestId);
    if (fate.startsWith('500 before')) throw refusal(500, 'SERVICE_ERROR: a step behind failed', payload);
    if (fate === 'sent twice') this.#tryToProcess(requestId, payload);
    const results = this.#process(requestId, payload);
    if (fate === 'lost after') throw lost(true);
    if (fate === '502 after') throw lost(true);
    if (fate === 'crash after') throw new Crash();
    if (fate === '500 after') throw refusal(500, 'UNKNOWN_ERROR: external ID: of no matter', payload);
    return results;
  }

  /** Processes a request that a proxy has sent before, whose response is lost. */
  #tryToProcess(requestId: string, payload: IssueRequest['payload']): void {
    try {
      this.#process(requestId, payload);
    } catch {}
  }

  #process(requestId: string, payload: IssueRequest['payload']): IssueResult[] {
    if (this.#keys.has(requestId))
      throw refusal(400, 'Duplicate Request Error: Same requestId already logged', payload);
    this.#keys.add(requestId);
    if (this.accepted) throw refusal(400, this.#duplicateText(), payload);
    this.accepted = true;
    return this.entries.map(({ externalId, tokenId }) => ({
      externalId,
      tokenId,
      metadataCID: `cid-${tokenId}`,
      metadataURL: `https://cdn.invalid/ipfs/cid-${tokenId}`,
      collectionContractAddress: null,
      status: 'waiting_for_mining',
    }));
  }

  /** The text of a refused duplicate. From the third one on, the work in progress has ended. */
  #duplicateText(): string {
    const ended = ++this.#requests > 2;
    return ended ? this.#saysDuplicate.replace('in_progress', 'successful') : this.#saysDuplicate;
  }

  mint(index: number): void {
    const entry = this.entries[index];
    if (this.accepted && entry?.mintable) entry.minted = true;
  }

  /** Completes all pending work of the chain and the subgraph. */
  catchUp(): void {
    this.indexed = new Set(this.entries.filter(({ minted }) => minted).map(({ tokenId }) => tokenId));
    this.indexIsCurrent = true;
  }
}

export const tokenOf = (externalId: string): string =>
  String(BigInt(`0x${bytesToHex(keccak_256(utf8ToBytes(externalId)))}`) % 10n ** 12n);

const lost = (maybeProcessed: boolean) =>
  new UpstreamError(
    { code: 'UPSTREAM_UNAVAILABLE', message: 'The issuance service broke off the connection.' },
    { upstream: 'COMMERCE', maybeProcessed },
  );

const refusal = (status: number, text: string, payload: IssueRequest['payload']) =>
  readRefusal({ kind: 'texts', texts: [text] }, status, payload);
