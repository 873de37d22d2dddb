import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadAnswer, LoadRequest } from '../events/load.ts';
import { eventsOf } from '../events/servers.ts';
import { percentile } from '../flow/overhead.ts';
import { loadProcess } from '../load-process.ts';
import { costing, round } from './costing.ts';
import type { Deployment } from './deployment.ts';

/** Number of events for each subscriber, and the time between two. */
const heardEvents = 5;
const heardEveryMs = 2_000;

export type Subscribers = Awaited<ReturnType<typeof subscribe>>['subscribers'];

/**
 * Opens the subscribers, which stay connected until they are closed, and sends some events to each.
 * @param quietMs Time in which they receive only heartbeats.
 */
export async function subscribe(deployment: Deployment, count: number, quietMs: number) {
  const process = loadProcess<LoadRequest, LoadAnswer>('events/load.ts');
  const before = deployment.memory();
  const opening = await costing(
    deployment,
    () =>
      process.ask({
        ...eventsOf(deployment.url, deployment.heard),
        subscribers: count,
        deliveries: heardEvents,
        everyMs: heardEveryMs,
      }),
    () => count,
  );
  const kilobytes = round((deployment.memory() - before) / count / 1000, 1);
  // The twenty events of the load's warm-up arrive as well.
  const hearing = await costing(
    deployment,
    () => process.hear(),
    () => count * (heardEvents + 20),
  );
  if (hearing.result.kind !== 'done') throw new Error('the subscribers sent no result');
  const { latencies, missed } = hearing.result;
  const quiet = await costing(
    deployment,
    () => sleep(quietMs),
    () => (count * quietMs) / 60_000,
  );
  return {
    subscribers: {
      count,
      kilobytes,
      openMs: opening.cost,
      eventMs: hearing.cost,
      quietMsAMinute: quiet.cost,
      p99: round(percentile(latencies, 0.99), 1),
      missed,
    },
    leave: () => process.stop(),
  };
}
