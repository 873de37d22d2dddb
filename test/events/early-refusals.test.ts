import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';

const times = 15;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

/** The status of each of several large requests. */
async function outcomes(path: string, method: string, headers: Record<string, string>): Promise<unknown[]> {
  const task = { url: `${gateway.app.url}${path}`, method, headers, bytes: 8_000_000, times };
  const script = join(import.meta.dirname, '../_util/eager-sender.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(task)]);
  return JSON.parse(stdout);
}

describe('a request that is refused before its body is read gets its response every time', () => {
  const file = '/uploads/artwork/a.png';
  const always = (status: number) => Array.from({ length: times }, () => status);

  it('when its token is unknown', async () => {
    expect(await outcomes(file, 'PUT', { authorization: 'Bearer nobody' })).toEqual(always(401));
  });

  it('when its Content-Type does not match the file', async () => {
    const headers = { ...gateway.caller.headers, 'content-type': 'image/jpeg' };
    expect(await outcomes(file, 'PUT', headers)).toEqual(always(400));
  });

  it('when its webhook key is wrong', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': 'nobody' };
    expect(await outcomes('/webhooks/commerce', 'POST', headers)).toEqual(always(401));
  });

  it('when its delivery is too long', async () => {
    const key = gateway.issuer.webhookKeys[0] as string;
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    expect(await outcomes('/webhooks/commerce', 'POST', headers)).toEqual(always(413));
  });
});
