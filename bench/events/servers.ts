import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventGateways } from '../../test/_util/event-gateways.ts';
import type { GatewayProcess } from '../../test/_util/gateway-process.ts';
import { usageOf } from '../usage.ts';
import type { LoadRequest } from './load.ts';

/** A server in a separate process that receives deliveries and streams their events to subscribers. */
export interface Contender {
  name: string;
  load: Pick<LoadRequest, 'url' | 'stream' | 'hook'>;
  /** Resident memory of the process, in bytes. */
  memory(): number;
  stop(): Promise<unknown>;
}

const query = `subscription { events { cursor type receivedAt ... on SRRFailed { externalId } } }`;

/** How a load subscribes to an issuer's events and delivers them. */
export function eventsOf(url: string, { token, webhookKey }: { token: string; webhookKey: string }) {
  const json = { 'content-type': 'application/json' };
  return {
    url,
    stream: {
      method: 'POST',
      path: '/graphql',
      headers: { ...json, accept: 'text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    },
    hook: { path: '/webhooks/commerce', headers: { ...json, 'x-api-key': webhookKey } },
  } satisfies Contender['load'];
}

/** The gateway as it is deployed, but without a service, because this bench sends no requests to it. */
export async function startGateway(): Promise<Contender> {
  const gateways = await eventGateways();
  const [gateway] = gateways.replicas as [GatewayProcess];
  return {
    name: 'srr-gateway',
    load: eventsOf(gateway.url, gateways),
    memory: () => memoryOf(gateway.pid()),
    stop: gateways.stop,
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
