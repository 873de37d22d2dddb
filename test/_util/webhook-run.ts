import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventGateways } from './event-gateways.ts';
import { SeededRandom } from './seeded-random.ts';
import { sendFailures } from './webhook-bench.ts';

/** The number of events per second, which the slow receiver can just handle. */
const ratePerSecond = 60;
/** The number of events in a delivery of the service. */
const group = 20;

export interface Feed {
  /** The time of each kill. */
  kills: number[];
  /** The samples of the resident memory of each process, in MB, by its pid. */
  memory: Map<number, number[]>;
}

/** Sends `events` events in the order of their numbers, while replicas are killed in turn. */
export async function feed(
  { replicas, webhookKey, kill }: EventGateways,
  { events, kills, seed }: { events: number; kills: number; seed: string },
): Promise<Feed> {
  const random = new SeededRandom(seed);
  const done: Feed = { kills: [], memory: new Map() };
  const share = Math.floor(events / (kills + 1));
  const killAt = Array.from(
    { length: kills },
    (_, i) => share * (i + 1) - random.integer(0, Math.floor(share / 4)),
  );
  let killing: Promise<void> = Promise.resolve();
  const begun = performance.now();
  const sampling = setInterval(() => sample(replicas, done.memory), 2_000);
  try {
    for (let n = 0; n < events; n += group) {
      if (killAt[0] !== undefined && n >= killAt[0]) {
        killAt.shift();
        const victim = replicas[done.kills.length % replicas.length] as (typeof replicas)[number];
        done.kills.push(Date.now());
        killing = killing.then(() => kill(victim));
      }
      const ids = Array.from({ length: Math.min(group, events - n) }, (_, i) => `event-${n + i}`);
      // Deliveries are sent one by one, so that the log has this order. A repeated one adds nothing.
      for (let turn = random.integer(0, 9); ; turn++) {
        const { url } = replicas[turn % replicas.length] as { url: string };
        const stored = await sendFailures(url, webhookKey, ids).then(
          () => true,
          () => false,
        );
        if (stored) break;
        await sleep(50);
      }
      await sleep(Math.max(0, begun + ((n + group) / ratePerSecond) * 1_000 - performance.now()));
    }
    await killing;
    return done;
  } finally {
    clearInterval(sampling);
  }
}

function sample(replicas: EventGateways['replicas'], memory: Map<number, number[]>): void {
  for (const replica of replicas) {
    const pid = replica.pid();
    if (pid === undefined || !replica.running()) continue;
    try {
      const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      // A process that is being killed has no memory left.
      if (kb !== '0') memory.set(pid, [...(memory.get(pid) ?? []), Math.round(Number(kb) / 1024)]);
    } catch {
      // The process was killed in the meantime.
    }
  }
}
