import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createClient, type Retry } from '@srr-gateway/client';
import { show, type Tree } from './demo/show.ts';
import { planWorks, prepareEntry } from './demo/works.ts';

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
  const client = createClient({ url: `${options.url}/graphql`, token, onRetry });
  const requestId = randomUUID();
  const run = requestId.slice(0, 8);
  console.log(`1. Wallets (run ${run})`);
  const { data } = await client.query<Tree>('{ viewer { issuer } }', {}, { retryForMs: 20_000 });
  const issuer = String(data.viewer?.issuer);
  type Wallets = { [role in 'artists' | 'buyers']?: { address: string }[] };
  const world = fetch(sandbox).then((response) => response.json() as Promise<Wallets>);
  const { artists, buyers } = await world.catch((): Wallets => ({}));
  const makers = options.artist ? [options.artist] : artists?.map(({ address }) => address);
  const buyer = options.buyer ?? buyers?.[0]?.address;
  if (!makers || !buyer)
    throw new Error(`No sandbox at ${sandbox}: name --sandbox, or a known --artist and a --buyer.`);
  console.log(`   issuer ${issuer}, buyer ${buyer}\n2. A collection`);
  const created = await client.mutate<Tree>(
    'mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { collection { address } userErrors { message } } }',
    { input: { requestId, name: `Demo ${run}`, symbol: 'DEMO' } },
  );
  const collection = created.data.createCollection?.collection?.address as string | undefined;
  if (!collection) throw new Error(JSON.stringify(created));
  const stop = new AbortController();
  // A block and the subgraph take seconds; a minute also covers a restart in between.
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]);
  const where = { collection, types: ['COLLECTION_CREATED' as const] };
  await client.follow({ from: 'BEGINNING', where, onEvent: () => stop.abort(), signal });
  console.log(`   ${collection}\n3. Files: picture, contract terms and 4 attachments for each record`);
  const works = planWorks(makers, buyer, collection, run);
  const entries = [];
  for (const work of works) {
    entries.push(await prepareEntry(client, work));
    console.log(`   ${work.title}: uploaded by ${work.way}`);
  }
  console.log(`4. Issue ${entries.length} records (requestId ${requestId})`);
  const issuing = client.issue(entries, { requestId });
  for await (const { status, updatedAt, progress } of issuing.status)
    console.log(`   ${updatedAt.slice(11, 23)}  ${status.padEnd(18)}  ${JSON.stringify(progress)}`);
  const { id } = await client.issueAndWait(entries, { requestId });
  console.log('5. Read them back with one query');
  await show(client, id, works, issuer);
  console.log(`\n✓ ${works.length} records issued, joined and verified. More at ${options.url}/graphql`);
}

try {
  const { PORT = 4000, SANDBOX_PORT = 4001, SRR_GATEWAY_TOKEN = 'demo-token' } = process.env;
  const type = 'string';
  const url = { type, default: `http://127.0.0.1:${PORT}` } as const;
  const token = { type, default: SRR_GATEWAY_TOKEN } as const;
  const sandbox = { type, default: `http://127.0.0.1:${SANDBOX_PORT}/sandbox` } as const;
  const options = { url, token, sandbox, artist: { type }, buyer: { type } } as const;
  const { help: asked, ...values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } }).values;
  for (const [name, value] of Object.entries(values))
    if (/url|sandbox/.test(name) && !(URL.canParse(value) && /^https?:/.test(value)))
      throw new Error(`--${name}: ${value} is no http:// or https:// address.`);
    else if (/artist|buyer/.test(name) && !/^0x[\da-f]{40}$/i.test(value))
      throw new Error(`--${name}: ${value} is no Ethereum address (0x and 40 hex digits).`);
  if (asked) console.log(help);
  else await demo({ ...values, url: values.url.replace(/\/+$/, '') });
} catch (error) {
  const { message, code = '' } = error as Error & { code?: string };
  const hint = code === 'UNAUTHENTICATED' ? ' Name it with --token.' : '';
  console.error(`\n✗ ${message}${code.startsWith('ERR_PARSE_ARGS') ? `\n\n${help}` : hint}`);
  process.exitCode = 1;
}
