import { expect, it, onTestFinished } from 'vitest';
import { gatewayProcess } from '../_util/gateway-process.ts';

/** Preloaded into the gateway: causes an unhandled rejection within the work of a request. */
const planted = `data:text/javascript,${encodeURIComponent(`
  import { AsyncLocalStorage } from 'node:async_hooks';
  const { run } = AsyncLocalStorage.prototype;
  let isPlanted = false;
  AsyncLocalStorage.prototype.run = function (work, ...given) {
    const result = run.call(this, work, ...given);
    if (!isPlanted && work?.requestId === 'the-request') {
      isPlanted = true;
      run.call(this, work, () => void Promise.reject(new Error('planted')));
    }
    return result;
  };
`)}`;

it('an unhandled rejection is logged with its request’s id, and all requests are answered', async () => {
  const gateway = await gatewayProcess({ nodeArguments: ['--import', planted] });
  onTestFinished(() => gateway.remove());
  await gateway.start();
  const ask = () =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'the-request' },
      body: JSON.stringify({ query: '{ srrs(first: 1) { edges { cursor } } }' }),
    });
  for (let count = 0; count < 3; count++) {
    const response = await ask();
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { data: { srrs: { edges: [] } } },
    });
  }
  expect(gateway.running()).toBe(true);
  const lines = gateway.output().split('\n');
  const logged = lines.filter((line) => line.includes('planted')).map((line) => JSON.parse(line));
  expect(logged).toMatchObject([
    {
      level: 50,
      requestId: 'the-request',
      err: { message: 'planted' },
      msg: 'a rejection that nothing handled',
    },
  ]);
}, 60_000);
