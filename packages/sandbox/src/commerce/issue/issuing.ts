import type { Address } from '@srr-gateway/common/address';
import { z } from 'zod';
import { requestMessages, serviceMessages } from '../../http/messages.ts';
import { ServiceError } from '../../http/service-error.ts';
import { address } from '../../http/values.ts';
import type { Content } from '../../ipfs/content.ts';
import type { Directory } from '../../licensing/directory.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Db } from '../../store/tables.ts';
import type { IssueEntry, IssueRequest, RequestedEntry } from '../body/issue-request.ts';
import { ownedCollections } from '../collections.ts';
import type { MetadataCheck } from '../metadata/check.ts';
import { checkEntries } from './entry-checks.ts';
import { readExisting } from './existing-values.ts';
import { type IssueFault, injectRefusals } from './injected-refusals.ts';
import { type PreparedEntry, prepareEntry } from './prepare.ts';
import { findReferencedFiles } from './referenced-files.ts';
import { RequestLog } from './request-log.ts';
import { insertReserved } from './reserved-rows.ts';
import { screenMetadata } from './screen-metadata.ts';

const issueResult = z.object({
  status: z.literal('waiting_for_mining'),
  externalId: z.string(),
  srr: z.object({
    tokenId: z.string(),
    metadataCID: z.string(),
    metadataURL: z.string(),
    collectionContractAddress: address.nullable(),
  }),
});

export const acceptedSrrs = z
  .object({ results: z.array(issueResult) })
  .describe('The accepted records, in the order of the request.');

/** Dependencies of issuing. */
interface IssuingOptions {
  db: Db;
  directory: Directory;
  storage: Storage;
  content: Content;
  metadataCheck: MetadataCheck;
  vendorPrefix: string;
  /** The sandbox's own origin, below which its files and its IPFS gateway are. */
  origin(): string;
  tokenId(metadataCid: string, artist: Address): string;
  /** The refusal that test mode has armed for an entry, if any. */
  consumeFault(externalId: string): IssueFault | undefined;
  /** Waits as long as test mode delays the publication of the current request. */
  delayPublication(): Promise<void>;
  /** Called when records may wait to be mined. */
  onAccepted(): void;
}

/**
 * `POST /commerce/srrs`: from a well-formed request to accepted rows. The checks run in the order of the
 * calls in `accept`. The batch is atomic: either every entry is accepted or no record of it remains.
 */
export class Issuing {
  readonly #options: IssuingOptions;
  readonly #log: RequestLog;
  /** One request at a time checks and reserves, so two requests cannot both find the same value free. */
  #lastReservation: Promise<unknown> = Promise.resolve();

  constructor(options: IssuingOptions) {
    this.#options = options;
    this.#log = new RequestLog(options.db);
  }

  /** Fails the requests that an earlier process left in progress. Call it at start, before any request. */
  recover(): Promise<void> {
    return this.#log.abandonInterrupted();
  }

  /** Accepts a request. Throws the `ServiceError` of the first check that fails. */
  async accept(issuer: Address, request: IssueRequest): Promise<z.infer<typeof acceptedSrrs>> {
    const entries = this.#screen(request.entries);
    const logged = await this.#log.begin(issuer, request);
    let prepared: PreparedEntry[] = [];
    try {
      await this.#checkAddresses(issuer, entries);
      prepared = await this.#prepare(issuer, entries);
      const reserving = prepared;
      const reserved = this.#lastReservation.then(() => this.#reserve(issuer, logged, reserving));
      this.#lastReservation = reserved.catch(() => {});
      await reserved;
      await this.#options.delayPublication();
      await this.#publish(prepared);
      await this.#log.confirm(logged);
    } catch (error) {
      // The confirmation may be stored although the database's answer was lost: its records will be mined.
      if ((await this.#log.abandon(logged)) !== 'successful') throw error;
    } finally {
      // Also when it is unknown whether it was confirmed, because the database went down.
      this.#options.onAccepted();
    }
    return { results: prepared.map((entry) => this.#result(entry)) };
  }

  #screen(entries: RequestedEntry[]): IssueEntry[] {
    const { metadataCheck: check, vendorPrefix } = this.#options;
    return screenMetadata(entries, { check, vendorPrefix, base: this.#options.origin() });
  }

  /**
   * The document has two answers for an unknown artist. This one is for a wallet whose licence was
   * withdrawn; an address that was never licensed gets UNKNOWN_ARTIST with its entry.
   */
  async #checkAddresses(issuer: Address, entries: IssueEntry[]): Promise<void> {
    const users = await this.#options.directory.find([
      issuer,
      ...entries.map(({ artistAddress }) => artistAddress),
    ]);
    const withdrawn = [...users].filter(([, user]) => user.withdrawn).map(([address]) => address);
    if (withdrawn.length > 0) throw new ServiceError(400, requestMessages.addressNotFound(withdrawn));
  }

  async #prepare(issuer: Address, entries: IssueEntry[]): Promise<PreparedEntry[]> {
    const { storage, tokenId } = this.#options;
    const origin = this.#options.origin();
    const files = await findReferencedFiles(storage, origin, issuer, entries);
    const context = { storage, origin, files, tokenId };
    const prepared: PreparedEntry[] = [];
    for (const entry of entries)
      prepared.push(
        await prepareEntry(entry, context).catch((cause: unknown) => {
          throw new ServiceError(500, serviceMessages.unknown(entry.externalId), { cause });
        }),
      );
    return prepared;
  }

  async #reserve(issuer: Address, request: string, entries: PreparedEntry[]): Promise<void> {
    const { db, directory } = this.#options;
    const failures = checkEntries(entries, await readExisting(db, directory, issuer, entries));
    if (failures) throw new ServiceError(400, { results: failures });
    injectRefusals(entries, this.#options.consumeFault);
    await this.#checkCollections(issuer, entries);
    await this.#checkAllowance(issuer, entries);
    await insertReserved(db, issuer, request, entries);
  }

  async #checkCollections(issuer: Address, entries: PreparedEntry[]): Promise<void> {
    const wanted = new Set(entries.flatMap(({ entry }) => entry.collectionAddress ?? []));
    if (wanted.size === 0) return;
    for (const address of await ownedCollections(this.#options.db, issuer, wanted)) wanted.delete(address);
    const [foreign] = wanted;
    if (foreign !== undefined)
      throw new ServiceError(500, serviceMessages.refused(`${foreign} is not a collection of the issuer`));
  }

  async #checkAllowance(issuer: Address, entries: PreparedEntry[]): Promise<void> {
    const allowance = await this.#options.directory.allowanceOf(issuer);
    const chips = entries.reduce((sum, entry) => sum + entry.chips.length, 0);
    if (allowance.srrsUsed + entries.length > allowance.srrQuota)
      throw new ServiceError(500, serviceMessages.quotaExceeded);
    if (chips > 0 && allowance.nfcUsed + chips > allowance.nfcAllowance)
      throw new ServiceError(500, serviceMessages.nfcExceeded);
  }

  async #publish(entries: PreparedEntry[]): Promise<void> {
    try {
      await this.#options.content.publish(entries.flatMap(({ publications }) => publications));
    } catch (cause) {
      const reason = 'the files could not be published to the content network';
      throw new ServiceError(500, serviceMessages.refused(reason), { cause });
    }
  }

  #result({ entry, tokenId, metadataCid }: PreparedEntry): z.infer<typeof issueResult> {
    return {
      status: 'waiting_for_mining',
      externalId: entry.externalId,
      srr: {
        tokenId,
        metadataCID: metadataCid,
        metadataURL: `${this.#options.origin()}/ipfs/${metadataCid}`,
        collectionContractAddress: entry.collectionAddress ?? null,
      },
    };
  }
}
