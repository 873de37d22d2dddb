import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** The parent's messages to the load process. */
export interface LoadRequest {
  url: string;
  /** The requests that open a stream and send a delivery. */
  stream: { method: string; path: string; headers: Record<string, string>; body: string };
  hook: { path: string; headers: Record<string, string> };
  subscribers: number;
  /**
   * Number of deliveries of one event each, and the time between two. 0: the subscribers only stay connected.
   */
  deliveries: number;
  everyMs: number;
}

export type LoadAnswer = { kind: 'open' } | { kind: 'done'; latencies: number[]; missed: number };

/** Connections opened at a time, so few that a server under load refuses none. */
const opening = 100;
/** An event that takes longer counts as missed. */
const lateMs = 10_000;

const sentAt: number[] = [];
const latencies: number[] = [];
const mark = 'bench-event-';

/** Every event names its delivery, so that its latency is known on arrival. */
function listen(stream: IncomingMessage): void {
  let rest = '';
  stream.setEncoding('latin1').on('data', (text: string) => {
    const now = performance.now();
    const messages = (rest + text).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const at = message.indexOf(mark);
      if (at < 0) continue;
      const sent = sentAt[Number.parseInt(message.slice(at + mark.length), 10)];
      // Events of the warm-up are not counted.
      if (sent !== undefined) latencies.push(now - sent);
    }
  });
}

async function subscribe({ url, stream: { body, ...options } }: LoadRequest): Promise<void> {
  const asking = request(url + options.path, { ...options, agent: false });
  asking.end(body);
  const [stream] = (await once(asking, 'response')) as [IncomingMessage];
  if (stream.statusCode !== 200) throw new Error(`a stream was refused with ${stream.statusCode}`);
  listen(stream);
}

const agent = new Agent({ keepAlive: true });

async function deliver({ url, hook }: LoadRequest, name: string): Promise<void> {
  const asking = request(url + hook.path, { method: 'POST', headers: hook.headers, agent });
  asking.end(
    JSON.stringify({ type: 'issue_failed', version: 1, data: [{ externalId: name, message: 'no gas' }] }),
  );
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.resume();
  if (answer.statusCode !== 200) throw new Error(`a delivery was answered with ${answer.statusCode}`);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function run(load: LoadRequest): Promise<LoadAnswer> {
  for (let open = 0; open < load.subscribers; open += opening)
    await Promise.all(
      Array.from({ length: Math.min(opening, load.subscribers - open) }, () => subscribe(load)),
    );
  process.send?.({ kind: 'open' } satisfies LoadAnswer);
  if (load.deliveries === 0) return { kind: 'done', latencies, missed: 0 };
  // Warm-up: lets both processes compile their hot code.
  for (let i = 0; i < 20; i++) await deliver(load, `warm-up-${i}-${process.pid}`);
  for (let n = 0; n < load.deliveries; n++) {
    await pause(load.everyMs);
    sentAt[n] = performance.now();
    await deliver(load, `${mark}${n}-${process.pid}`);
  }
  const all = load.subscribers * load.deliveries;
  for (const giveUpAt = performance.now() + lateMs; latencies.length < all; await pause(50))
    if (performance.now() > giveUpAt) break;
  return { kind: 'done', latencies, missed: all - latencies.length };
}

process.once('message', async (load: LoadRequest) => {
  process.send?.(await run(load));
});
