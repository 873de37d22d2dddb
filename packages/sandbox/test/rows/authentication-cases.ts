import { request } from 'node:http';
import { expect } from 'vitest';
import type { Bench } from './bench.ts';
import type { Cases } from './cases.ts';

const endpoints = ['signedUrls', 'fileMetadata', 'srrs', 'collection'];

type Headers = Record<string, string | undefined>;

/** Expects the same response of every endpoint to these headers, with any body. */
async function everywhere(
  at: Bench,
  headers: Headers,
  statusCode: number,
  message: unknown,
  body: unknown = {},
) {
  for (const endpoint of endpoints)
    expect(await at.issuer.post(endpoint, body, headers), endpoint).toEqual({
      status: statusCode,
      body: { statusCode, message },
    });
}

/** A POST with only these headers; `fetch` would add some. */
function bare(url: string, headers: Record<string, string>): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers }, async (response) => {
      const text = (await response.toArray()).join('');
      resolve([response.statusCode, text]);
    });
    sending.on('error', reject);
    sending.end('{"payload":[]}');
  });
}

const invalidKey = (address: string) => `API Key is not valid for ${address}`;

export const headerCases: Cases['Authentication header'] = {
  'commerce-api-key': (at) => everywhere(at, { 'commerce-api-key': undefined }, 401, 'Missing header'),
  'issuer-address': (at) => everywhere(at, { 'issuer-address': undefined }, 401, 'Missing header'),
  'Content-Type': async (at) => {
    const rule = 'Content-Type must be application/json';
    for (const type of ['text/csv', 'text/plain', 'application/jsonish'])
      await everywhere(at, { 'content-type': type }, 400, rule, '{"payload":[]}');
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await at.issuer.post('fileMetadata', { payload: [] }, headers)).status).toBe(200);
  },
  accept: async (at) => {
    const rule = 'accept must be application/json';
    await everywhere(at, { accept: 'text/html, application/json;q=0' }, 400, rule);
    for (const accept of ['application/json', 'text/html, application/*;q=0.5', '*/*'])
      expect((await at.issuer.post('fileMetadata', { payload: [] }, { accept })).status).toBe(200);
    const headers = {
      'commerce-api-key': at.issuer.apiKey,
      'issuer-address': at.issuer.address,
      'content-type': 'application/json',
    };
    const url = `${at.info.commerceUrl}/port/api/v1/commerce/fileMetadata`;
    expect(await bare(url, headers)).toEqual([400, `{"statusCode":400,"message":"${rule}"}`]);
  },
};

export const authenticationRuleCases: Cases['Authentication rule'] = {
  '1 licensed user and key': async (at) => {
    const headers = { 'commerce-api-key': 'a key that nobody has' };
    await everywhere(at, headers, 401, invalidKey(at.issuer.address));
    const answer = await at.issuer.post('fileMetadata', { payload: [] });
    expect(answer).toEqual({ status: 200, body: { results: [] } });
  },
  '2 a missing header': async (at) => {
    await everywhere(
      at,
      { 'commerce-api-key': undefined, 'issuer-address': undefined },
      401,
      'Missing header',
    );
    // Before any other check.
    await everywhere(at, { 'commerce-api-key': undefined, accept: 'x/y' }, 401, 'Missing header', '{');
  },
  '3 a key of somebody else': async (at) => {
    for (const address of [at.other.address, 'nonsense'])
      await everywhere(at, { 'issuer-address': address }, 401, invalidKey(address), '{');
    const headers = { 'issuer-address': at.issuer.address.toLowerCase() };
    expect((await at.issuer.post('fileMetadata', { payload: [] }, headers)).status).toBe(200);
  },
  '4 uploads carry no header': async (at) => {
    const { url, contentType } = await at.issuer.sign('no-header.png', 'certificate');
    const put = (address: string) =>
      fetch(address, { method: 'PUT', headers: { 'content-type': contentType }, body: 'x' });
    expect((await put(url.replace(/Signature=\w+/, `Signature=${'0'.repeat(64)}`))).status).toBe(403);
    expect((await put(url)).status).toBe(200);
  },
};

export const missingHeaderCases: Cases['401 message'] = {
  'missing header': (at) => everywhere(at, { 'issuer-address': '' }, 401, 'Missing header'),
  'key not valid': (at) =>
    everywhere(at, { 'issuer-address': at.other.address }, 401, invalidKey(at.other.address)),
};
