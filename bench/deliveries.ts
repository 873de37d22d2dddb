import { randomUUID } from 'node:crypto';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { openStore } from '../src/store/store.ts';
import { eventGateways } from '../test/_util/event-gateways.ts';
import type { GatewayProcess } from '../test/_util/gateway-process.ts';
import type { LoadAnswer, LoadRequest } from './deliveries/load.ts';
import { waitingRecords } from './deliveries/waiting-records.ts';
import { percentile } from './flow/overhead.ts';
import { loadProcess } from './load-process.ts';
import { readOptions } from './options.ts';
import { usageOf } from './usage.ts';

const help = `Usage: npm run bench:deliveries -- [options]

Measures how many deliveries of one event each a gateway stores in a second, and how long a sender waits for the
response, which comes after the commit.

  --deliveries N    number of deliveries in each run (20000)
  --senders N,N,…   concurrent deliveries, with one run for each number (1,16,128)
  --help            this text

TEST_DATABASE_URL=postgres://… stores them in that database, with the durability of its server. Every second
delivery then reports the outcome of a pending record, from issuances of 250 records. The other deliveries, and all
deliveries with the embedded database, are about records unknown to the gateway. A separate process sends the load.
Linux only.
`;

const values = readOptions('npm run bench:deliveries', {
  deliveries: { type: 'string', default: '20000' },
  senders: { type: 'string', default: '1,16,128' },
  help: { type: 'boolean', short: 'h', default: false },
});

const unknown = () => ({ type: 'issue_failed', data: [{ externalId: randomUUID(), message: 'no gas' }] });

async function measure(senders: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const count = Number(values.deliveries);
  const own = process.env.TEST_DATABASE_URL ? await testDatabase() : undefined;
  if (own) stack.defer(() => own.drop());
  const gateways = await eventGateways({ ...(own?.url && { databaseUrl: own.url }) });
  stack.defer(() => gateways.stop());
  const [gateway] = gateways.replicas as [GatewayProcess];
  const store = own && (await openStore(own.database));
  if (store) stack.defer(() => store.close());
  const reports = store ? await waitingRecords(store.db, gateways.issuer, count / 2) : [];
  const events = Array.from({ length: count }, (_, i) => (i % 2 ? reports.pop() : undefined) ?? unknown());
  const { url } = gateway;
  const before = usageOf(gateway.pid());
  const load = loadProcess<LoadRequest, LoadAnswer>('deliveries/load.ts');
  stack.defer(() => load.stop());
  const { ms, latencies, refused } = await load.ask({
    url,
    webhookKey: gateways.webhookKey,
    events,
    senders,
  });
  const after = usageOf(gateway.pid());
  const line = {
    senders,
    'deliveries a second': Math.round((count * 1000) / ms),
    'p50 ms': Number(percentile(latencies, 0.5).toFixed(1)),
    'p99 ms': Number(percentile(latencies, 0.99).toFixed(1)),
    // Of all deliveries, including those of the warm-up.
    'processor ms each': Number(
      (((after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0)) * 1000) / (count + 10 * senders),
    ).toFixed(2),
    'resident MB': Math.round((after?.rss ?? 0) / 1e6),
    refused,
  };
  console.log(JSON.stringify(line));
}

if (values.help) console.log(help);
else for (const senders of values.senders.split(',')) await measure(Number(senders));
