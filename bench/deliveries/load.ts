import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';

/** The parent's messages to the load process. */
export interface LoadRequest {
  url: string;
  webhookKey: string;
  /** The deliveries, one event each; sent in this order. */
  events: object[];
  /** Number of concurrent deliveries, each on its own connection. */
  senders: number;
}

export interface LoadAnswer {
  ms: number;
  /** Time from sending each delivery to its response, which comes after the commit. */
  latencies: number[];
  refused: number;
}

async function run({ url, webhookKey, events, senders }: LoadRequest): Promise<LoadAnswer> {
  const dispatcher = new Agent({ connections: senders });
  const latencies: number[] = [];
  let refused = 0;
  const headers = { 'content-type': 'application/json', 'x-api-key': webhookKey };
  const send = async (body: object): Promise<number> => {
    const { statusCode, body: answer } = await request(`${url}/webhooks/commerce`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      dispatcher,
    });
    await answer.dump();
    return statusCode;
  };
  // Warm-up: opens the connections, and lets both processes compile their hot code.
  const warmUp = () => send({ type: 'issue_failed', data: [{ externalId: randomUUID() }] });
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: senders }, warmUp));
  let next = 0;
  const started = performance.now();
  const sender = async () => {
    for (let event = events[next++]; event; event = events[next++]) {
      const sent = performance.now();
      if ((await send(event)) !== 200) refused++;
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  const ms = performance.now() - started;
  await dispatcher.close();
  return { ms, latencies, refused };
}

process.once('message', async (load: LoadRequest) => {
  process.send?.(await run(load));
});
