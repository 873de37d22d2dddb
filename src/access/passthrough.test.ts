import { parseAddress } from '@srr-gateway/common/address';
import { expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { reply, serve } from '../../test/_util/http-server.ts';
import { createCommerce } from '../clients/commerce/commerce.ts';
import { passthrough } from './passthrough.ts';

const [issuer, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`].map(
  (text) => parseAddress(text) as string,
);

/** Passes keys through to a service that accepts the key of one issuer, while it is up. */
async function service() {
  const state = { isUp: true, key: 'the-right-key' };
  const { url, received } = await serve(({ headers }, response) => {
    if (!state.isUp) return reply(response, 503, {});
    const isRight = headers['commerce-api-key'] === state.key && headers['issuer-address'] === issuer;
    const [status, message] = isRight ? [404, [{ index: 0, filePath: 'no-such-file' }]] : [401, 'no'];
    reply(response, status as number, { statusCode: status, message });
  });
  const commerce = createCommerce({ baseUrl: url, log: capturedLog().log });
  onTestFinished(() => commerce.close());
  return { state, received, verify: passthrough(commerce) };
}

const refused = { code: 'UNAUTHENTICATED' };

it('a key that the service has accepted is refused for another issuer', async () => {
  const { verify } = await service();
  expect(await verify('the-right-key', issuer)).toEqual({ issuer, apiKey: 'the-right-key' });
  await expect(verify('the-right-key', other)).rejects.toMatchObject(refused);
});

it.each([
  ['without an address', 'a-key', undefined],
  ['without a key', undefined, issuer],
  ['with an address that is none', 'a-key', '0x12'],
])('headers %s are refused without a call', async (_what, key, address) => {
  const { verify, received } = await service();
  await expect(verify(key, address)).rejects.toMatchObject(refused);
  expect(received).toEqual([]);
});

it('the service is asked once a minute for a key, and a withdrawn key then stops working', async () => {
  const { state, received, verify } = await service();
  for (let n = 0; n < 3; n++) await verify('the-right-key', issuer);
  expect(received).toHaveLength(1);
  state.key = 'a-new-key';
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 61_000);
  onTestFinished(() => void vi.restoreAllMocks());
  // The cache reads the clock only once per millisecond.
  await expect.poll(() => verify('the-right-key', issuer).catch((error) => error)).toMatchObject(refused);
});

it('an outage of the service is not taken for its answer', async () => {
  const { state, verify } = await service();
  state.isUp = false;
  await expect(verify('the-right-key', issuer)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  state.isUp = true;
  expect(await verify('the-right-key', issuer)).toMatchObject({ issuer });
});
