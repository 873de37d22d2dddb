import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { SandboxInfo } from '../src/start.ts';
import type { Category } from '../src/store/tables.ts';

/** The status and parsed body of an answer. */
export interface Answer {
  status: number;
  // The body of any endpoint or error; tests read its fields untyped.
  // biome-ignore lint/suspicious/noExplicitAny: an untyped client is the point of these tests
  body: any;
}

/** A client of the issuance service that uses plain HTTP only, as any partner's client would. */
export class TestIssuer {
  readonly info: SandboxInfo;
  readonly address: string;
  readonly apiKey: string;

  constructor(info: SandboxInfo, index = 0) {
    const issuer = info.issuers[index];
    if (!issuer) throw new Error(`the world has no issuer ${index}`);
    this.info = info;
    this.address = issuer.address;
    this.apiKey = issuer.apiKey;
  }

  /**
   * Posts to a commerce endpoint. A string body is sent unchanged; a header set to `undefined` is left out.
   */
  async post(
    endpoint: string,
    body: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const all = {
      'commerce-api-key': this.apiKey,
      'issuer-address': this.address,
      'content-type': 'application/json',
      accept: 'application/json',
      ...headers,
    };
    const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(`${this.info.commerceUrl}/port/api/v1/commerce/${endpoint}`, {
      method: 'POST',
      headers: present,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  async sign(filename: string, category: Category, action: 'write' | 'read' = 'write') {
    const { status, body } = await this.post('signedUrls', { action, payload: [{ filename, category }] });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.results[0] as { filename: string; contentType: string; url: string; finalUrl: string };
  }

  /** Uploads without waiting for the hash and CID; returns the finalUrl. */
  async upload(
    filename: string,
    category: Category,
    bytes: string | Uint8Array<ArrayBuffer>,
  ): Promise<string> {
    const { url, contentType, finalUrl } = await this.sign(filename, category);
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: bytes,
    });
    // 412: the file is there already, as when a test is retried.
    expect([200, 412], await response.text()).toContain(response.status);
    return finalUrl;
  }

  /** Uploads and waits until the service has calculated the hash and CID. */
  async uploadReady(
    filename: string,
    category: Category,
    bytes: string | Uint8Array<ArrayBuffer>,
  ): Promise<{ finalUrl: string; hash: string; cid: string; size: number }> {
    const finalUrl = await this.upload(filename, category, bytes);
    const known = await vi.waitUntil(
      async () => {
        const { body } = await this.post('fileMetadata', { payload: [{ filename, category }] });
        return body.results[0].hash && body.results[0];
      },
      { timeout: 10_000 },
    );
    return { finalUrl, ...known };
  }

  /** Valid metadata that no other record has. */
  metadata(image: string, more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      $schema: `${this.info.commerceUrl}/api/v1/schema/registry-record-metadata.v2.2.schema.json`,
      name: `Harbour ${randomUUID()}`,
      title: { en: 'Harbour', ja: '港' },
      medium: { en: 'Oil on canvas' },
      yearOfCreation: { en: '2024' },
      thumbnailURL: image,
      image,
      ...more,
    };
  }

  /** A valid entry with an externalId and metadata of its own. */
  entry(image: string, more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      externalId: randomUUID(),
      metadata: this.metadata(image),
      artistAddress: this.info.artists[0]?.address,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      ...more,
    };
  }
}

/** Makes one JSON-RPC call to the sandbox's EVM. Throws the error that it answers. */
export async function rpc(
  info: Pick<SandboxInfo, 'rpcUrl'>,
  method: string,
  params: unknown[],
): Promise<unknown> {
  const response = await fetch(info.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error) throw new Error(error.message);
  return result;
}

/** Calls `ownerOf` by plain JSON-RPC; returns the address in lower case. */
export async function ownerOf(info: SandboxInfo, contract: string, tokenId: string): Promise<string> {
  const data = `0x6352211e${BigInt(tokenId).toString(16).padStart(64, '0')}`;
  const word = (await rpc(info, 'eth_call', [{ to: contract, data }, 'latest'])) as string;
  return `0x${word.slice(-40)}`;
}
