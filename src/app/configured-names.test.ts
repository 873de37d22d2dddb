import { silent } from '@srr-gateway/common/testing/database';
import { expect, it } from 'vitest';
import type { Clients } from './clients.ts';
import { ConfiguredNames } from './configured-names.ts';

it('a subgraph that is down is not called again by each query of `sources`', async () => {
  let calls = 0;
  const down = () => {
    calls++;
    return Promise.reject(new Error('down'));
  };
  const clients = { subgraph: { lists: down } } as unknown as Clients;
  const options = {
    upstreams: { registryAddress: undefined },
    config: { vendor: { prefix: '' } },
    log: silent,
  };
  const names = new ConfiguredNames(options as never, clients);
  const { signal } = new AbortController();
  for (let i = 0; i < 3; i++) expect(await names.findings(signal)).toEqual({});
  await names.stop();
  expect(calls).toBe(1);
});
