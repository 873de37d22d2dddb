import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createClient, type Retry } from '@srr-gateway/client';
import { planWorks, prepareEntry, show } from './demo/records.ts';

const help = `Issues three real records through a running gateway and reads them back.

  --url <address>      the gateway                    (default http://127.0.0.1:$PORT, else 4000)
  --token <token>      one of its tokens              (default $SRR_GATEWAY_TOKEN or demo-token)
  --sandbox <address>  lists the wallets to use       (default http://127.0.0.1:$SANDBOX_PORT/sandbox, else 4001)
  --artist <address>   a known artist, and --buyer <address> a wallet, instead of the sandbox's

Stop and start the gateway in the middle if you like: the demo goes on, and nothing is issued twice.
The exit code is 0 only when every record is issued, joined and verified.`;

async function demo({ token = '', sandbox = '', ...options }: Record<string, string | undefined>) {
  const onRetry = ({ error, attempt }: Retry) =>
    attempt === 1 &&
    console.log(`   … ${error.message} Trying again. Is it running there? If not, set --url.`);
  const url = `${options.url?.replace(/\/+$/, '')}/graphql`;
  const client = createClient({ url, token, onRetry });
  const requestId = randomUUID();
  const run = requestId.slice(0, 8);
  console.log(`1. Wallets (run ${run})`);
  const { data } = await client.query<{ viewer: { issuer: string } }>('{ viewer { issuer } }');
  const { issuer } = data.viewer;
  type Wallets = { [role in 'artists' | 'buyers']?: { address: string }[] };
  const world = fetch(sandbox).then((response) => response.json() as Promise<Wallets>);
  const { artists, buyers } = await world.catch((): Wallets => ({}));
  const { artist = artists?.[0]?.address, buyer = buyers?.[0]?.address } = options;
  if (!artist || !buyer)
    throw new Error(`No sandbox at ${sandbox}: name --sandbox, or a known --artist and a --buyer.`);
  console.log(`   issuer ${issuer}, buyer ${buyer}\n2. A collection`);
  const { data: created } = await client.mutate<{ createCollection: { collection?: { address: string } } }>(
    'mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { collection { address } userErrors { message } } }',
    { input: { requestId, name: `Demo ${run}`, symbol: 'DEMO' } },
  );
  const collection = created.createCollection.collection?.address;
  if (!collection) throw new Error(JSON.stringify(created));
  const stop = new AbortController();
  // Mining and indexing take seconds; a minute also covers a restart in between.
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]);
  const where = { collection, types: ['COLLECTION_CREATED' as const] };
  await client.follow({ from: 'BEGINNING', where, onEvent: () => stop.abort(), signal });
  console.log(`   ${collection}\n3. Files: picture, contract terms and 4 attachments for each record`);
  const works = planWorks(artist, buyer, collection);
  const entries = [];
  for (const work of works) {
    entries.push(await prepareEntry(client, run, work));
    console.log(`   ${work.name}: uploaded by ${work.via}`);
  }
  console.log(`4. Issue ${entries.length} records (requestId ${requestId})`);
  const issuing = client.issue(entries, { requestId });
  for await (const { status, updatedAt, progress } of issuing.status)
    console.log(`   ${updatedAt.slice(11, 23)}  ${status.padEnd(18)}  ${JSON.stringify(progress)}`);
  const issued = await client.issueAndWait(entries, { requestId });
  console.log('5. Read them back with one query');
  const ids = issued.entries.flatMap(({ srr }) => srr?.id ?? []);
  await show(client, ids, works, issuer);
  console.log(`\n✓ ${works.length} records issued, joined and verified. More at ${url}`);
}

try {
  const { PORT = 4000, SANDBOX_PORT = 4001, SRR_GATEWAY_TOKEN: token = 'demo-token' } = process.env;
  const local = { url: `http://127.0.0.1:${PORT}`, sandbox: `http://127.0.0.1:${SANDBOX_PORT}/sandbox` };
  const text = { type: 'string' } as const;
  const options = { url: text, token: text, sandbox: text, artist: text, buyer: text } as const;
  const { help: helpRequested, ...values } = parseArgs({
    options: { ...options, help: { type: 'boolean' } },
  }).values;
  for (const [name, value] of Object.entries(values))
    if (/url|sandbox/.test(name) && !(URL.canParse(value) && /^https?:/.test(value)))
      throw new Error(`--${name}: ${value} is not an http:// or https:// address.`);
    else if (/artist|buyer/.test(name) && !/^0x[\da-f]{40}$/i.test(value))
      throw new Error(`--${name}: ${value} is not an Ethereum address (0x and 40 hex digits).`);
  if (helpRequested) console.log(help);
  else await demo({ ...local, token, ...values });
} catch (error) {
  const { message, code = '' } = error as Error & { code?: string };
  const hint = code === 'UNAUTHENTICATED' ? ' Set it with --token.' : '';
  console.error(`\n✗ ${message}${code.startsWith('ERR_PARSE_ARGS') ? `\n\n${help}` : hint}`);
  process.exitCode = 1;
}
