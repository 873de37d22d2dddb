import { hash } from 'node:crypto';
import type { Logger } from '@srr-gateway/common/log';
import { BulkheadPolicy, isBulkheadRejectedError } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { CID } from 'multiformats/cid';
import { contentKey, type IpfsReader, parseIpfsReference } from '../clients/ipfs/ipfs.ts';
import { checkedContent, createDiskCache, type DiskCache, withChecksum } from '../lib/disk-cache.ts';
import { HttpError } from '../lib/http-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { createSingleFlight } from '../lib/single-flight.ts';
import { type PictureFacts, type ResizeFault, Resizer } from './resizer.ts';
import { picturePath, pictureTypes, type Variant } from './variant.ts';

/** A picture to send. */
export interface Picture {
  bytes: Uint8Array;
  contentType: string;
}

/** A picture that took too long is tried again after this time, when the machine may be less busy. */
const slowMs = 300_000;
const maxSlow = 1_000;

/** Source and caches of pictures. */
export interface PicturesOptions {
  ipfs: IpfsReader;
  /** Absent: cached in memory only. */
  disk: { directory: string; maxBytes: number } | undefined;
  log: Logger;
}

/** Room for a photograph in print quality. */
const maxSourceBytes = 40_000_000;
/** Sources in memory at once. With the size limit this bounds the memory that anonymous callers can take. */
const sourcesAtOnce = 8;
/**
 * Sources of one address at once. Anybody can name content that no gateway has, for which all search until the
 * time-out. Three keep both decoders busy, and leave slots free when one host calls by IPv4 and by IPv6.
 */
const sourcesOfAddress = 3;
/** Waiting requests: several pages of pictures. More would wait longer than a browser does. */
const maxWaiting = 1_000;
/** Addresses whose slots are counted. Beyond this number the least recently used one is forgotten. */
const maxAddresses = 1_000;
/** Pictures of the currently viewed pages. */
const memoryBytes = 32_000_000;
/** A few MB: facts of as many pictures as a large collection has records. */
const maxFacts = 20_000;
/** Part of the cache key. Increment it when variants are made differently. */
const version = 1;

/** Resizes pictures from verified IPFS content, and caches them. */
export class Pictures {
  readonly #ipfs: IpfsReader;
  readonly #disk: DiskCache | undefined;
  readonly #memory = new LRUCache<string, Uint8Array>({
    maxSize: memoryBytes,
    sizeCalculation: ({ length }) => length + 200,
  });
  readonly #facts = new LRUCache<string, PictureFacts>({ max: maxFacts });
  /** Content that is not a picture, which never changes for a CID. */
  readonly #refused = new LRUCache<string, HttpError>({ max: maxFacts });
  /** Pictures that took too long. Two of them, requested again and again, would occupy both decoders. */
  readonly #slow = new LRUCache<string, true>({ max: maxSlow, ttl: slowMs });
  readonly #resizer: Resizer;
  readonly #sources = new BulkheadPolicy(sourcesAtOnce, maxWaiting);
  readonly #ofAddress = new LRUCache<string, BulkheadPolicy>({
    max: maxAddresses,
    memoMethod: () => new BulkheadPolicy(sourcesOfAddress, maxWaiting),
  });
  readonly #inFlight = createSingleFlight<Uint8Array>();

  constructor({ ipfs, disk, log }: PicturesOptions) {
    this.#ipfs = ipfs;
    this.#resizer = new Resizer(log);
    this.#disk = disk && createDiskCache({ ...disk, name: 'picture cache', log });
  }

  /**
   * The path of a picture of `uri`; undefined when `uri` is not the CID of a file, without a path below it.
   */
  pathOf(uri: string, variant: Variant): string | undefined {
    const reference = parseIpfsReference(uri);
    return reference?.path === '' ? picturePath(reference.cid, variant) : undefined;
  }

  /** Facts of a picture; undefined until this process has read it. */
  factsOf(uri: string): PictureFacts | undefined {
    const reference = parseIpfsReference(uri);
    return reference?.path === '' ? this.#facts.get(reference.key) : undefined;
  }

  /**
   * The picture, from the cache or made now. `address` is the caller's, if its requests are limited.
   * @throws IpfsFailure when its source is unavailable; HttpError when there is no such picture, or when too
   * many are being made.
   */
  async get(cid: CID, variant: Variant, signal: AbortSignal, address?: string): Promise<Picture> {
    const key = keyOf(cid, variant);
    const make = () => this.#inFlight.join(key, (live) => this.#make(cid, key, variant, live), signal);
    const cached = this.#memory.get(key) ?? (await this.#onDisk(key));
    // Wait for a slot of the address before the work is shared, so that nobody waits for a slot of another address.
    const bytes = cached ?? (await this.#inSlotOf(address, () => this.#memory.get(key) ?? make()));
    this.#memory.set(key, bytes);
    const { facts, picture } = unpack(bytes);
    this.#facts.set(contentKey(cid), facts);
    return { bytes: picture, contentType: pictureTypes[variant.format] };
  }

  async close(): Promise<void> {
    this.#resizer.close();
    await this.#disk?.close();
  }

  async #inSlotOf<T>(address: string | undefined, work: () => MaybePromise<T>): Promise<T> {
    try {
      return await (address === undefined ? work() : this.#ofAddress.memo(address).execute(work));
    } catch (error) {
      throw isBulkheadRejectedError(error) ? busy() : error;
    }
  }

  #onDisk(key: string): Promise<Uint8Array | undefined> | undefined {
    return this.#disk?.read(key, maxSourceBytes, checkedContent);
  }

  async #make(cid: CID, key: string, variant: Variant, signal: AbortSignal): Promise<Uint8Array> {
    const content = contentKey(cid);
    const refused = this.#refused.get(content) ?? (this.#slow.has(key) ? busy() : undefined);
    if (refused) throw refused;
    try {
      return await this.#sources.execute(async () => {
        // Check here. If the bulkhead had the signal, an aborted caller in its queue would block those behind it.
        signal.throwIfAborted();
        const bytes = await this.#ipfs.cat(cid.toString(), {
          maxBytes: maxSourceBytes,
          signal,
          keepInMemory: false,
        });
        const result = await this.#resizer.resize({ bytes, ...variant }, signal);
        if ('fault' in result) {
          if (result.fault === 'TOO_SLOW') this.#slow.set(key, true);
          throw refusal(result.fault);
        }
        const packed = pack(result.source, result.picture);
        this.#disk?.write(key, withChecksum(packed));
        return packed;
      });
    } catch (error) {
      if (error instanceof HttpError && error.status < 500) this.#refused.set(content, error);
      throw error;
    }
  }
}

/** The multihash alone is not enough: a file of one block shares it with that block, which is not a picture. */
const keyOf = (cid: CID, { width, height, format }: Variant): string =>
  hash('sha256', `${contentKey(cid)} ${version} ${width}x${height}.${format}`);

/** Stores the facts of the source in the first line of a cached picture, so that they outlast a restart. */
const pack = (facts: PictureFacts, picture: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), picture]);

function unpack(bytes: Uint8Array): { facts: PictureFacts; picture: Uint8Array } {
  const end = bytes.indexOf(0x0a);
  const facts = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as PictureFacts;
  return { facts, picture: bytes.subarray(end + 1) };
}

function refusal(fault: ResizeFault['fault']): HttpError {
  if (fault === 'TOO_SLOW' || fault === 'INTERRUPTED') return busy();
  return fault === 'TOO_LARGE'
    ? new HttpError(
        413,
        'The picture is too large to be made smaller: it has more than 50 million pixels, or takes more than 500 MB to decode, as AVIF of some 20 million pixels does. Load it from Media.url without transform.',
        {},
        'FILE_TOO_LARGE',
      )
    : new HttpError(
        415,
        'The content is not a picture in JPEG, PNG, WebP, AVIF, GIF or TIFF, or it is damaged. Load it from Media.url without transform.',
        {},
        'NOT_A_PICTURE',
      );
}

const busy = () =>
  new HttpError(
    503,
    'Too many pictures are being made. Try again in five seconds.',
    { 'retry-after': '5' },
    'RATE_LIMITED',
  );
