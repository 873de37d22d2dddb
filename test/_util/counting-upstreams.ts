import { rpc } from '@srr-gateway/sandbox/testing/issuer';
import { expect } from 'vitest';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** The cost of an operation: subgraph requests by the name of their query, and fetched content. */
export interface Cost {
  subgraph: Record<string, number>;
  cids: string[];
}

/** A gateway over the sandbox's own world whose requests to subgraph and IPFS are counted. */
export interface CountedGateway extends TestGateway {
  /** The requests that `act` causes, except those of the watch of the head, which all requests share. */
  costOf(act: () => Promise<unknown>): Promise<Cost>;
  /** The number of requests for the head since the last `costOf` began. */
  headAsked(): number;
  /** The queries that the subgraph was sent since the last `costOf` began. */
  queries(): string[];
  /** Mines a block and waits until the gateway reads it, so that no cached subgraph response is valid. */
  moveBlock(): Promise<void>;
  /** Until the returned function is called, the subgraph responds only to queries for its head. */
  holdReads(): () => void;
}

export async function startCountedGateway(options: TestGatewayOptions = {}): Promise<CountedGateway> {
  const index = await startRecordingProxy();
  const content = await startRecordingProxy();
  const gateway = await startTestGateway({
    ...options,
    sandbox: { fixtures: true, ...options.sandbox },
    upstreams: { subgraphUrls: [`${index.url}/subgraph`], ipfsGateways: [content.url] },
  });
  const { info, anonymous } = gateway;
  index.target = new URL(info.subgraphUrl).origin;
  content.target = new URL(info.ipfsUrl).origin;

  const operations = () =>
    index.calls.map(({ body }) => /^\s*query (\w+)/.exec(body.query)?.[1] ?? body.query);
  const indexedHead = async () => {
    const response = await fetch(info.subgraphUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ _meta { block { number } } }' }),
    });
    return ((await response.json()) as { data: { _meta: { block: { number: number } } } }).data._meta.block
      .number;
  };
  return {
    ...gateway,
    costOf: async (act) => {
      index.clear();
      content.clear();
      await act();
      const subgraph: Cost['subgraph'] = {};
      for (const name of operations()) if (name !== 'Meta') subgraph[name] = (subgraph[name] ?? 0) + 1;
      return { subgraph, cids: content.calls.map(({ call }) => call.replace(/\?.*/, '')) };
    },
    headAsked: () => operations().filter((name) => name === 'Meta').length,
    queries: () => index.calls.map(({ body }) => body.query),
    moveBlock: async () => {
      const mined = (await indexedHead()) + 1;
      await rpc(info, 'evm_mine', []);
      await expect
        .poll(
          async () => {
            const { srrs } = await anonymous.data('{ srrs(first: 1) { edges { node { indexedAtBlock } } } }');
            return Number(srrs.edges[0]?.node.indexedAtBlock ?? 0);
          },
          { timeout: 15_000 },
        )
        .toBeGreaterThanOrEqual(mined);
    },
    holdReads: () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      index.beforeCall = ({ body }) => (/^\s*query Meta\b/.test(body.query) ? Promise.resolve() : released);
      return release;
    },
    stop: async () => {
      await gateway.stop();
      await Promise.all([index.stop(), content.stop()]);
    },
  };
}
