import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { IpfsFailure } from '../clients/ipfs/ipfs.ts';
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

it('a mistake is logged once, however often it is found', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
  const record = { id: `0x${'1'.repeat(64)}`, tokenId: '1', metadataDigest: cid };
  let checks = 0;
  const lists = async () => {
    checks++;
    return { lists: [[record]] };
  };
  // As a public gateway answers that searches for content which it does not have.
  const json = () => Promise.reject(new IpfsFailure('TIMEOUT'));
  const clients = { subgraph: { lists }, ipfs: { json } } as unknown as Clients;
  const { log, lines } = capturedLog();
  const options = {
    upstreams: { registryAddress: `0x${'12'.repeat(20)}` },
    config: { vendor: { prefix: '' } },
    log,
  };
  const names = new ConfiguredNames(options as never, clients);
  const { signal } = new AbortController();
  for (let i = 0; i < 2; i++) {
    expect(Object.keys(await names.findings(signal))).toEqual(['SUBGRAPH', 'IPFS']);
    vi.advanceTimersByTime(11_000);
  }
  expect(checks).toBe(2);
  expect(lines().filter(({ level }) => level === 40)).toHaveLength(2);
});
