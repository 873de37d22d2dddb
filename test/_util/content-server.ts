import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';

/** An IPFS gateway that serves single blocks, and counts the requests for each. */
export interface ContentServer {
  url: string;
  /** Serves these bytes under their CID, and returns it. */
  add(bytes: Uint8Array): Promise<string>;
  /** Responds with `answer` instead of the content with this CID. */
  spoil(cid: string, answer: { status: number; body?: Uint8Array | string }): void;
  requests: Map<string, number>;
  /** Responds to nothing until the returned function is called; call it with `onTestFinished`. */
  hold(): () => void;
  /** The number of requests without a response, including those whose caller has disconnected. */
  open(): number;
  stop(): Promise<void>;
}

export async function startContentServer(): Promise<ContentServer> {
  const blocks = new Map<string, Uint8Array>();
  const spoiled = new Map<string, { status: number; body?: Uint8Array | string }>();
  const requests = new Map<string, number>();
  let held = Promise.resolve();
  let open = 0;
  const server = createServer(async (request, response) => {
    const [, , cid = ''] = new URL(request.url ?? '', 'http://gateway').pathname.split('/');
    requests.set(cid, (requests.get(cid) ?? 0) + 1);
    open++;
    await held;
    open--;
    const bytes = blocks.get(cid);
    const { status, body } = spoiled.get(cid) ?? { status: bytes ? 200 : 404, body: bytes };
    response.writeHead(status, { 'content-type': 'application/vnd.ipld.raw' }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(bytes) {
      const cid = CID.createV1(raw.code, await sha256.digest(bytes)).toString();
      blocks.set(cid, bytes);
      return cid;
    },
    spoil: (cid, answer) => void spoiled.set(cid, answer),
    requests,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    open: () => open,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
