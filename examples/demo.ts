import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createClient, type Retry } from '@srr-gateway/client';
import { show, type Tree } from './demo/show.ts';
import { planWorks, prepareEntry } from './demo/works.ts';

const help = `Issues three real records through a running gateway and reads them back.

  --url <address>      the gateway                    (default http://127.0.0.1:$PORT, else 4000)
  --token <token>      one of its tokens              (default $SRR_GATEWAY_TOKEN or demo-token)
  --sandbox <address>  where the play wallets are told (default http://127.0.0.1:$SANDBOX_PORT/sandbox, else 4001)
  --artist <address>   a known artist, and --buyer <address> a wallet, instead of the sandbox's

Stop and start the gateway in the middle if you like: the demo goes on, and nothing is issued twice.
The exit code is 0 only when every record is issued, joined and verified.`;

async function demo(options: Record<string, string | undefined>) {
  for (const [name, value = ''] of Object.entries(options))
    if (/url|sandbox/.test(name) && !(URL.canParse(value) && /^https?:/.test(value)))
      throw new Error(`--${name}: ${value} is no http:// or https:// address.`);
    else if (/artist|buyer/.test(name) && !/^0x[\da-f]{40}$/i.test(value))
      throw new Error(`--${name}: ${value} is no Ethereum address (0x and 40 hex digits).`);
  let doing =
    'reaching the gateway. Is `npm start` running in another terminal? If it says another address, name that with --url.';
  const onRetry = ({ error, attempt }: Retry) =>
    attempt === 1 && console.log(`   … ${error.message} Trying again: ${doing}`);
  const { token = '', sandbox = '' } = options;
  const url = `${options.url?.replace(/\/+$/, '')}/graphql`;
  const client = createClient({ url, token, onRetry });
  const requestId = randomUUID();
  const run = requestId.slice(0, 8);
  console.log(`1. Who takes part (run ${run})`);
  const { data } = await client.query<Tree>('{ viewer { issuer } }', {}, { retryForMs: 20_000 });
  const issuer = String(data.viewer?.issuer);
  // The sandbox tells every program about its play wallets.
  const world = await fetch(sandbox)
    .then((response) => response.json() as Promise<Tree>)
    .catch(() => undefined);
  const artists = options.artist
    ? [options.artist]
    : [0, 1, 2].map((i) => String(world?.artists?.[i]?.address));
  const buyer = options.buyer ?? String(world?.buyers?.[0]?.address);
  if (`${artists}${buyer}`.includes('undefined'))
    throw new Error(`No sandbox at ${sandbox}: name --sandbox, or a known --artist and a --buyer.`);
  console.log(`   issuer ${issuer}, buyer ${buyer}`);
  console.log('2. A collection');
  doing = 'creating the collection.';
  const created = await client.mutate<Tree>(
    'mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { collection { address } userErrors { message } } }',
    { input: { requestId, name: `Demo ${run}`, symbol: 'DEMO' } },
  );
  const collection = String(created.data.createCollection?.collection?.address);
  if (collection === 'undefined') throw new Error(JSON.stringify(created));
  const stop = new AbortController();
  // A block and the index take seconds; a minute also covers a restart in between.
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]);
  const where = { collection, types: ['COLLECTION_CREATED' as const] };
  await client.follow({ from: 'BEGINNING', where, onEvent: () => stop.abort(), signal });
  console.log(`   ${collection}`);
  const works = planWorks(artists, buyer, collection, run);
  console.log('3. Files: picture, contract terms and 4 attachments for each record');
  const entries = [];
  for (const work of works) {
    doing = `uploading the files of ${work.title}.`;
    entries.push(await prepareEntry(client, work));
    console.log(`   ${work.title}: uploaded by ${work.way}`);
  }
  console.log(`4. Issue ${entries.length} records (requestId ${requestId})`);
  doing = 'following the issuance.';
  const issuing = client.issue(entries, { requestId });
  for await (const { status, updatedAt, progress } of issuing.status)
    console.log(`   ${updatedAt.slice(11, 23)}  ${status.padEnd(18)}  ${JSON.stringify(progress)}`);
  const { id } = await client.issueAndWait(entries, { requestId });
  console.log('5. Read them back with one query');
  await show(client, id, works, issuer);
  console.log(`\n✓ ${works.length} records issued, joined and verified. More at ${url}`);
}

try {
  const { PORT, SANDBOX_PORT, SRR_GATEWAY_TOKEN: token = 'demo-token' } = process.env;
  const names = ['url', 'token', 'sandbox', 'artist', 'buyer'];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
  const url = `http://127.0.0.1:${PORT || 4000}`;
  const sandbox = `http://127.0.0.1:${SANDBOX_PORT || 4001}/sandbox`;
  if (values.help) console.log(help);
  else await demo({ url, token, sandbox, ...(values as Record<string, string>) });
} catch (error) {
  const { message, code = '' } = error as Error & { code?: string };
  const hint = code === 'UNAUTHENTICATED' ? ' Name it with --token.' : '';
  console.error(`\n✗ ${message}${code.startsWith('ERR_PARSE_ARGS') ? `\n\n${help}` : hint}`);
  process.exitCode = 1;
}
