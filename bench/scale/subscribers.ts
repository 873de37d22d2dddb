import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadAnswer, LoadRequest } from '../events/load.ts';
import { eventsOf } from '../events/servers.ts';
import { percentile } from '../flow/overhead.ts';
import { loadProcess } from '../load-process.ts';
import { costing, round } from './costing.ts';
import type { Deployment } from './deployment.ts';

/** Events that each subscriber hears, and the time between two. */
const heardEvents = 5;
const heardEveryMs = 2_000;

export type Subscribers = Awaited<ReturnType<typeof subscribe>>['subscribers'];

/**
 * Opens the subscribers, who stay until they are told to leave, and lets each hear some events.
 * @param quietMs How long they hear nothing but the sign that their stream is alive.
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
  // The load's warm-up of twenty events is heard as well.
  const hearing = await costing(
    deployment,
    () => process.hear(),
    () => count * (heardEvents + 20),
  );
  if (hearing.result.kind !== 'done') throw new Error('the subscribers did not say what they heard');
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
