import { type ImporterOptions, importFile } from 'ipfs-unixfs-importer';
import type { CID } from 'multiformats/cid';

/**
 * The profile fixes all parameters that decide a CID: version 1, raw leaves, chunks of 1 MiB, SHA-256. So the
 * CID of a file of one chunk is a `bafkrei…` that contains the file's own SHA-256.
 */
const options: ImporterOptions = {
  profile: 'unixfs-v1-2025',
  // Blocks in memory at once; the default of 50 would hold up to 50 MiB of each file.
  blockWriteConcurrency: 4,
};

/** Stores a block and returns its CID. */
interface BlockSink {
  put(cid: CID, block: Uint8Array): Promise<CID>;
}

const discard: BlockSink = { put: async (cid) => cid };

/** Calculates the CID of `bytes` without storing them. */
export async function cidOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  return importTo(discard, bytes);
}

/** Stores `bytes` as blocks and returns their root's CID. */
export async function importTo(blocks: BlockSink, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const { cid } = await importFile({ content: bytes }, blocks, { ...options });
  return cid.toString();
}
