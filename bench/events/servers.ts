import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventGateways } from '../../test/_util/event-gateways.ts';
import type { GatewayProcess } from '../../test/_util/gateway-process.ts';
import { usageOf } from '../usage.ts';
import type { LoadRequest } from './load.ts';

/** Something that takes deliveries in and streams them out, in a process of its own. */
export interface Contender {
  name: string;
  load: Pick<LoadRequest, 'url' | 'stream' | 'hook'>;
  /** Resident memory of its process, in bytes. */
  memory(): number;
  stop(): Promise<unknown>;
}

const query = `subscription { events { cursor type receivedAt ... on SRRFailed { externalId } } }`;

/** The gateway as it is deployed; no service stands behind it, because none is asked. */
export async function startGateway(): Promise<Contender> {
  const { replicas, token, webhookKey, stop } = await eventGateways();
  const [gateway] = replicas as [GatewayProcess];
  const json = { 'content-type': 'application/json' };
  return {
    name: 'srr-gateway',
    load: {
      url: gateway.url,
      stream: {
        method: 'POST',
        path: '/graphql',
        headers: { ...json, accept: 'text/event-stream', authorization: `Bearer ${token}` },
        body: JSON.stringify({ query }),
      },
      hook: { path: '/webhooks/commerce', headers: { ...json, 'x-api-key': webhookKey } },
    },
    memory: () => memoryOf(gateway.pid()),
    stop,
  };
}

export async function startBare(): Promise<Contender> {
  const child = fork(join(import.meta.dirname, 'bare.ts'));
  const [port] = await once(child, 'message');
  return {
    name: 'bare node:http',
    load: {
      url: `http://127.0.0.1:${port}`,
      stream: { method: 'GET', path: '/', headers: {}, body: '' },
      hook: { path: '/hook', headers: { 'content-type': 'application/json' } },
    },
    memory: () => memoryOf(child.pid),
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

const memoryOf = (pid: number | undefined): number => usageOf(pid)?.rss ?? Number.NaN;
