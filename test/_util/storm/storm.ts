import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { EventGateways } from '../event-gateways.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { Delivery } from './plan.ts';

export interface StormCounts {
  /** The number of responses by kind of delivery and status. */
  answers: Record<string, number>;
  /** The number of requests without a response, each of which was sent again. */
  cutOff: number;
  kills: number;
}

/** The number of concurrent senders. */
const senders = 64;
/** The pause of a sender after a request without a response. */
const retryMs = 50;

/**
 * Sends every delivery until it has a response, as the service does, while gateways are killed and started at
 * moments that are spread over the whole run.
 */
export async function storm(
  { replicas, webhookKey, kill }: EventGateways,
  plan: Delivery[],
  { kills, seed }: { kills: number; seed: string },
): Promise<StormCounts> {
  const counts: StormCounts = { answers: {}, cutOff: 0, kills: 0 };
  const random = new SeededRandom(`${seed}-kills`);
  const share = Math.floor(plan.length / (kills + 1));
  const killAt = Array.from({ length: kills }, (_, i) => share * i + random.integer(1, share));
  const agent = new Agent({ connections: senders });
  let next = 0;
  let killing: Promise<void> = Promise.resolve();

  const post = async (delivery: Delivery, turn: number): Promise<number | undefined> => {
    const { url } = replicas[turn % replicas.length] as { url: string };
    try {
      const { statusCode, body } = await request(`${url}/webhooks/commerce`, {
        method: 'POST',
        dispatcher: agent,
        headers: {
          'content-type': 'application/json',
          'x-api-key': delivery.kind === 'bad key' ? 'a-key-that-nobody-has' : webhookKey,
        },
        body: delivery.body,
      });
      await body.dump();
      return statusCode;
    } catch {
      return undefined;
    }
  };
  const sender = async () => {
    while (next < plan.length) {
      const turn = next++;
      const delivery = plan[turn] as Delivery;
      if (killAt.includes(turn)) {
        // The gateways are killed one after the other, each after the previous one has started again.
        const victim = replicas[counts.kills++ % replicas.length] as (typeof replicas)[number];
        killing = killing.then(() => kill(victim));
      }
      for (let attempt = 0; ; attempt++) {
        const status = await post(delivery, turn + attempt);
        if (status !== undefined) {
          const name = `${delivery.kind}: ${status}`;
          counts.answers[name] = (counts.answers[name] ?? 0) + 1;
          break;
        }
        counts.cutOff++;
        await sleep(retryMs);
      }
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  await killing;
  await agent.close();
  return counts;
}
