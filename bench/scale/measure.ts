import { setTimeout as sleep } from 'node:timers/promises';
import { loadProcess } from '../load-process.ts';
import { climb, type Step } from './climb.ts';
import { type Cost, costing, round } from './costing.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { issue } from './issuing.ts';
import type { LoadAnswer, LoadRequest } from './load.ts';
import { outcomes } from './outcomes.ts';
import { type Subscribers, subscribe } from './subscribers.ts';

export interface Sizes {
  /** Share of a processor for each replica; 0: no limit. */
  share: number;
  subscribers: number;
  /** Duration of each rate. */
  seconds: number;
  readsP99: number;
  deliveriesP99: number;
  issuances: number;
}

type Rate = Pick<LoadRequest, 'perSecond' | 'seconds'>;

/** The results of one number of replicas. */
export interface Figures {
  replicas: number;
  idle: { connections: number; residentMB: number };
  subscribers: Subscribers & { readsP99: number };
  reads: Step[];
  deliveries: Step[];
  issuing: { perSecond: number; cost: Cost };
}

/** About the block time of the records' chain; every block invalidates cached responses. */
const blockMs = 2_000;
const firstRate = 50;
const settleMs = 2_000;
/**
 * V8 compiles hot code in several tiers over thousands of requests, so this runs before the share is limited.
 */
const warmUp = ({ seconds }: Sizes, replicas: number): Rate => ({
  perSecond: 300 * replicas,
  seconds: 5 * seconds,
});
/** Reads while the subscribers are connected. */
const besidePerSecond = 200;

export async function measure(
  replicas: number,
  sizes: Sizes,
  tell: (line: string) => void,
): Promise<Figures> {
  const { seconds } = sizes;
  await using running = new AsyncDisposableStack();
  const deployment = await startDeployment(replicas);
  running.defer(() => deployment.stop());
  await sleep(5_000);
  const idle = { connections: await deployment.connections(), residentMB: megabytes(deployment) };
  tell(`${replicas} replicas: ${idle.residentMB} MB and ${idle.connections} connections at rest`);
  const blocks = setInterval(
    () => void fetch(`${deployment.sources.url}/block`, { method: 'POST' }),
    blockMs,
  );
  running.defer(() => clearInterval(blocks));
  const load = loadProcess<LoadRequest, LoadAnswer>('scale/load.ts');
  running.defer(() => load.stop());
  const { url } = deployment;
  const tokens = deployment.delivering.map(({ token }) => token);
  const read = async (rate: Rate): Promise<LoadRequest> => ({ kind: 'reads', url, ...rate, tokens });
  const deliver = async (rate: Rate): Promise<LoadRequest> => {
    // Arrivals are random, so prepare more deliveries than the mean.
    const count = Math.ceil(rate.perSecond * rate.seconds * 1.2) + 100;
    return { kind: 'deliveries', url, ...rate, deliveries: await outcomes(deployment, count) };
  };
  for (const ask of [read, deliver]) await load.ask(await ask(warmUp(sizes, replicas)));
  if (sizes.share > 0) deployment.limit(sizes.share);
  const growing = (ask: typeof read, limitMs: number) =>
    climb(firstRate, async (perSecond) => {
      // By then the work of the last rate is done.
      await sleep(settleMs);
      const request = await ask({ perSecond, seconds });
      const { result, cost } = await costing(
        deployment,
        () => load.ask(request),
        ({ requests }) => requests,
      );
      const { requests, failed } = result;
      const [p50, p99] = [round(result.p50, 1), round(result.p99, 1)];
      tell(
        `  ${perSecond} ${request.kind} a second: p99 ${p99} ms, ${failed} failed, ${JSON.stringify(cost)}`,
      );
      return { requests, failed, p50, p99, perSecond, holds: failed === 0 && p99 <= limitMs, cost };
    });
  const reads = await growing(read, sizes.readsP99);
  const deliveries = await growing(deliver, sizes.deliveriesP99);
  const issuing = await issue(deployment, sizes.issuances);
  tell(`  ${issuing.perSecond} issuances a second, ${JSON.stringify(issuing.cost)}`);
  deployment.unlimit();
  const { subscribers, leave } = await subscribe(deployment, sizes.subscribers, 3_000 * seconds);
  running.defer(leave);
  const beside = await load.ask(await read({ perSecond: besidePerSecond, seconds }));
  const readsP99 = round(beside.p99, 1);
  tell(
    `  ${subscribers.count} subscribers, ${subscribers.kilobytes} kB each; reads beside them: p99 ${readsP99} ms`,
  );
  return { replicas, idle, subscribers: { ...subscribers, readsP99 }, reads, deliveries, issuing };
}

const megabytes = (deployment: Deployment) => Math.round(deployment.memory() / 1e6);
