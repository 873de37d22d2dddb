import type { ServerResponse } from 'node:http';
import { CarWriter } from '@ipld/car';
import { importer } from 'ipfs-unixfs-importer';
import { fixedSize } from 'ipfs-unixfs-importer/chunker';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { type Received, serve, type TestServer } from './http-server.ts';

/** Blocks by the text of their CID. */
export type Blocks = Map<string, { cid: CID; bytes: Uint8Array }>;

/** Splits a file into blocks like an IPFS node, and adds them to `blocks`. */
export async function addFile(
  blocks: Blocks,
  content: Uint8Array,
  { chunk = 64 * 1024, cidVersion = 1 as 0 | 1, rawLeaves = true } = {},
): Promise<CID> {
  const store = {
    put(cid: CID, bytes: unknown) {
      blocks.set(cid.toString(), { cid, bytes: bytes as Uint8Array });
      return cid;
    },
  };
  const options = { cidVersion, rawLeaves, chunker: fixedSize({ chunkSize: chunk }) };
  let root: CID | undefined;
  for await (const entry of importer([{ content }], store as never, options)) root = entry.cid;
  return root as CID;
}

/** Adds one block, and returns its CID. */
export async function addBlock(blocks: Blocks, bytes: Uint8Array, codec = 0x55): Promise<CID> {
  const cid = CID.createV1(codec, await sha256.digest(bytes));
  blocks.set(cid.toString(), { cid, bytes });
  return cid;
}

export interface GatewayOptions {
  /** Responds instead of the gateway if it returns true. */
  before?: (request: Received, response: ServerResponse) => boolean | Promise<boolean>;
  cars?: boolean;
  /** The number of blocks after which a CAR ends as if it were complete. */
  cutAfter?: number;
}

/** A gateway that serves raw blocks and CARs of all its blocks, root first. */
export async function serveBlocks(blocks: Blocks, options: GatewayOptions = {}): Promise<TestServer> {
  const { before, cars = true, cutAfter = Number.POSITIVE_INFINITY } = options;
  return serve(async (request, response) => {
    if (await before?.(request, response)) return;
    const url = new URL(request.url, 'http://gateway');
    const [, , name = ''] = url.pathname.split('/');
    const block = name === 'bafkqaaa' ? { bytes: new Uint8Array() } : blocks.get(name);
    if (!block) return response.writeHead(404).end('not here');
    if (url.searchParams.get('format') === 'raw') {
      response.setHeader('content-type', 'application/vnd.ipld.raw');
      return response.end(block.bytes);
    }
    if (!cars) return response.writeHead(406).end();
    const root = CID.parse(name);
    const { writer, out } = CarWriter.create([root]);
    const [first, ...rest] = [...blocks.values()].sort((a) => (a.cid.equals(root) ? -1 : 0));
    void (async () => {
      for (const { cid, bytes } of [first, ...rest].filter((one) => one !== undefined).slice(0, cutAfter))
        await writer.put({ cid, bytes });
      await writer.close();
    })();
    response.setHeader('content-type', 'application/vnd.ipld.car; version=1');
    for await (const piece of out) response.write(piece);
    response.end();
  });
}
