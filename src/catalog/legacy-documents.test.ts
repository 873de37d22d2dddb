import type { ServerResponse } from 'node:http';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { parseAddress } from '@srr-gateway/common/address';
import { createLogger } from '@srr-gateway/common/log';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closedPort, type Received, serve } from '../../test/_util/http-server.ts';
import { createLegacyMetadata } from '../clients/commerce/legacy-metadata.ts';
import { createLegacyDocuments } from './legacy-documents.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const text = '{"name":"Moon at Dusk","unheard":{"of":1}}';
const digest = `0x${Buffer.from(keccak_256(Buffer.from(text))).toString('hex')}`;
const record = { collection: null, tokenId: '42' };

function documentsAt(baseUrl: string, timeoutMs = 5_000) {
  const service = createLegacyMetadata({ baseUrl, vendorPath: 'gallery', timeoutMs, log });
  onTestFinished(() => service.close());
  const documents = createLegacyDocuments(service);
  return {
    ...documents,
    read: (of: string, by?: Parameters<typeof documents.read>[1], signal = new AbortController().signal) =>
      documents.read(of, by, signal),
  };
}
const answering = (answer: (response: ServerResponse, request: Received) => unknown) =>
  serve((request, response) => answer(response, request));

describe('a document from before 2023', () => {
  it('is read by its token, verified by its digest, and cached permanently', async () => {
    const service = await answering((response) => response.end(text));
    const documents = documentsAt(service.url);
    const all = await Promise.all([1, 2, 3].map(() => documents.read(digest, record)));
    expect(all[0]).toEqual({ status: 'VERIFIED', document: JSON.parse(text), id: digest });
    expect(all.every((one) => one === all[0])).toBe(true);
    expect(await documents.read(digest.toUpperCase().replace('0X', '0x'), record)).toBe(all[0]);
    expect(await documents.read(digest)).toBe(all[0]);
    expect(service.received.map(({ url }) => url)).toEqual(['/gallery/api/v1/srr/metadata/42.json']);
  });

  it('of a collection is read by its contract, and without a token id by its digest', async () => {
    const service = await answering((response) => response.end('{}'));
    const documents = documentsAt(service.url);
    const collection = parseAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed') ?? null;
    await documents.read(digest, { ...record, collection });
    await documents.read(digest);
    expect(service.received.map(({ url }) => url)).toEqual([
      `/gallery/api/v1/srr/metadata/${collection}/42.json`,
      `/api/v1/metadata/${digest}.json`,
    ]);
    expect(documents.urlOf(record)).toBe(`${service.url}/gallery/api/v1/srr/metadata/42.json`);
  });

  it('that does not match its digest is UNVERIFIED, and not cached permanently', async () => {
    let answer = '{"name":"Another"}';
    const service = await answering((response) => response.end(answer));
    const documents = documentsAt(service.url);
    expect(await documents.read(digest, record)).toEqual({
      status: 'UNVERIFIED',
      document: { name: 'Another' },
      // Another record with this hash may have another document.
      id: `${digest}/registry/42`,
    });
    answer = text;
    await expect
      .poll(() => documents.read(digest, record), { timeout: 15_000, interval: 250 })
      .toEqual({ status: 'VERIFIED', document: JSON.parse(text), id: digest });
  });

  it.each<[string, string, (response: ServerResponse) => unknown]>([
    ['NOT_FOUND', 'the service has none', (response) => response.writeHead(404).end()],
    ['BLOCKED', 'the service withholds it', (response) => response.writeHead(451).end()],
    ['UNAVAILABLE', 'the service fails', (response) => response.writeHead(500).end()],
    ['UNAVAILABLE', 'the service redirects', (response) => response.writeHead(302, { location: '/' }).end()],
    ['INVALID_JSON', 'the service returns a web page', (response) => response.end('<html>')],
    ['INVALID_JSON', 'the service returns a list', (response) => response.end('[]')],
    ['TOO_LARGE', 'it is endless', (response) => response.end(Buffer.alloc(3_000_000))],
    ['TIMEOUT', 'the service does not respond', () => {}],
  ])('is %s when %s', async (status, _when, answer) => {
    const service = await answering(answer);
    const documents = documentsAt(service.url, 300);
    expect(await documents.read(digest, record)).toEqual({ status });
    const requests = service.received.length;
    // The failure is cached for a moment, so that a page of records does not repeat the request.
    expect(await documents.read(digest, record)).toEqual({ status });
    expect(service.received).toHaveLength(requests);
  });

  it('is UNAVAILABLE when the service is down', async () => {
    expect(await documentsAt(await closedPort()).read(digest, record)).toEqual({ status: 'UNAVAILABLE' });
  });

  it('is not waited for by a caller that disconnects', async () => {
    const service = await answering(() => {});
    const leaving = new AbortController();
    const reading = documentsAt(service.url).read(digest, record, leaving.signal);
    await expect.poll(() => service.received.length).toBe(1);
    const reason = new Error('left');
    leaving.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});
