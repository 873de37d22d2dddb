import { CarBlockIterator } from '@ipld/car/iterator';
import { exporter, type ReadableStorage } from 'ipfs-unixfs-exporter';
import type { CID } from 'multiformats/cid';
import { IpfsFailure } from './failure.ts';
import type { Gateway, Limits } from './gateway.ts';
import { contentKey, embeddedBlock, hasKnownHash, isDagPb, soleBlock, verified } from './verify.ts';

// IPFS nodes and gateways refuse larger blocks, so no honest file has one.
const maxBlockBytes = 2 * 1024 * 1024;
// A CAR holds headers, CIDs and inner nodes besides the bytes of the file.
const withCarOverhead = (bytes: number) => Math.ceil(bytes * 1.05) + 256 * 1024;
// The largest allowed file has a few hundred blocks. A hostile DAG can refer to one block again and again.
const maxVisits = 20_000;
// Concurrent fetches of single blocks. Without a limit the exporter fetches all children of a node at once.
const blocksAtOnce = 8;

/**
 * Reads a file by its CID from one gateway. Each block is checked against its hash before it is used.
 * @throws IpfsFailure; or the signal's reason.
 */
export async function readFile(gateway: Gateway, cid: CID, limits: Limits): Promise<Uint8Array> {
  if (!isDagPb(cid)) return verified(cid, await gateway.block(cid, limits));
  const { maxBytes, signal } = limits;
  // A CID that embeds its root needs no gateway; mostly the root holds the whole file.
  const archive = embeddedBlock(cid)
    ? undefined
    : await gateway.car(cid, { maxBytes: withCarOverhead(maxBytes), signal });
  const blocks = archive ? await blocksIn(archive) : new Map<string, Uint8Array>();
  return assemble(cid, blockstore(gateway, blocks, limits), limits);
}

/** The verified blocks of a CAR. A CAR that is cut short yields the blocks before the cut. */
async function blocksIn(archive: Uint8Array): Promise<Map<string, Uint8Array>> {
  const blocks = new Map<string, Uint8Array>();
  try {
    // Skip blocks that cannot be verified: one embedded in its CID is read from there, and the file may not need the
    // others.
    for await (const { cid, bytes } of await CarBlockIterator.fromBytes(archive))
      if (hasKnownHash(cid)) blocks.set(contentKey(cid), await verified(cid, bytes));
  } catch (error) {
    if (error instanceof IpfsFailure) throw error;
  }
  return blocks;
}

/** Serves blocks from the CAR, and fetches those that it lacks one by one. */
function blockstore(
  gateway: Gateway,
  blocks: Map<string, Uint8Array>,
  { maxBytes, signal }: Limits,
): ReadableStorage {
  let visits = 0;
  let fetchedBytes = 0;
  const fetched = async (cid: CID) => {
    const answer = await gateway.block(cid, { maxBytes: maxBlockBytes, signal });
    const bytes = await verified(cid, answer).catch(() => verified(cid, soleBlock(answer)));
    fetchedBytes += bytes.length;
    // Blocks of a hostile file may be far longer than the part of it that they stand for.
    if (fetchedBytes > withCarOverhead(maxBytes)) throw new IpfsFailure('TOO_LARGE');
    return bytes;
  };
  return {
    async *get(cid: CID) {
      if (++visits > maxVisits) throw new IpfsFailure('TOO_LARGE', { cause: 'too many blocks' });
      const key = contentKey(cid);
      const bytes = embeddedBlock(cid) ?? blocks.get(key) ?? (await fetched(cid));
      blocks.set(key, bytes);
      yield bytes;
    },
  };
}

async function assemble(cid: CID, store: ReadableStorage, { maxBytes, signal }: Limits): Promise<Uint8Array> {
  try {
    const entry = await exporter(cid, store, { signal });
    if (entry.type !== 'file' && entry.type !== 'raw') throw notAFile(entry.type);
    // The exporter calls a symbolic link an empty file.
    if ('unixfs' in entry && !['file', 'raw'].includes(entry.unixfs.type)) throw notAFile(entry.unixfs.type);
    if (entry.size > maxBytes) throw new IpfsFailure('TOO_LARGE');
    const chunks: Uint8Array[] = [];
    // A file whose stated size is false is read only up to that size.
    for await (const chunk of entry.content({ signal, blockReadConcurrency: blocksAtOnce }))
      chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    // Without an IpfsFailure, all blocks match their CIDs but do not make a readable file.
    throw causeOf(error) ?? new IpfsFailure('HASH_MISMATCH', { cause: error });
  }
}

const notAFile = (kind: string) => new IpfsFailure('NOT_FOUND', { cause: `it is a ${kind}, not a file` });

/** The IpfsFailure in an error, even when the exporter wrapped it; undefined when there is none. */
function causeOf(error: unknown): IpfsFailure | undefined {
  if (error instanceof IpfsFailure) return error;
  return error instanceof Error && error.cause ? causeOf(error.cause) : undefined;
}
