import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { connect, DemoError } from './demo/client.ts';
import { follow } from './demo/follow.ts';
import { issue, openCollection, prepareEntry } from './demo/issue.ts';
import { findPeople } from './demo/people.ts';
import { attachments, planWorks } from './demo/records.ts';
import { show } from './demo/show.ts';

const help = `Issues three real records through a running gateway and reads them back.

  npm run demo [-- options]

  --url <address>      the gateway                    (default http://127.0.0.1:$PORT, else 4000)
  --token <token>      one of its tokens              (default $SRR_GATEWAY_TOKEN or demo-token)
  --sandbox <address>  where the play wallets are told (default http://127.0.0.1:$SANDBOX_PORT/sandbox, else 4001)
  --artist <address>   a known artist, instead of the sandbox's
  --buyer <address>    a wallet that receives one record, instead of the sandbox's
  --help               this text

Stop and start the gateway in the middle if you like: the demo goes on, and nothing is issued twice.
The exit code is 0 only when every record is issued, joined and verified.`;

try {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: `http://127.0.0.1:${process.env.PORT || 4000}` },
      token: { type: 'string', default: process.env.SRR_GATEWAY_TOKEN ?? 'demo-token' },
      sandbox: { type: 'string', default: `http://127.0.0.1:${process.env.SANDBOX_PORT || 4001}/sandbox` },
      artist: { type: 'string' },
      buyer: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) console.log(help);
  else await demo({ ...values, url: values.url.replace(/\/+$/, '') });
} catch (error) {
  const usage =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof DemoError) && !usage) throw error;
  console.error(`\n✗ ${error.message}${usage ? `\n\n${help}` : ''}`);
  process.exitCode = 1;
}

interface Options {
  url: string;
  token: string;
  sandbox: string;
  artist?: string | undefined;
  buyer?: string | undefined;
}

/** What is wrong with them is told before anything is created. */
function check(options: Options): void {
  for (const name of ['url', 'sandbox'] as const)
    if (!/^https?:/.test(options[name]) || !URL.canParse(options[name]))
      throw new DemoError(`--${name}: ${options[name]} is no http:// or https:// address.`);
  for (const name of ['artist', 'buyer'] as const)
    if (options[name] !== undefined && !/^0x[\da-f]{40}$/i.test(options[name]))
      throw new DemoError(`--${name}: ${options[name]} is no Ethereum address (0x and 40 hex digits).`);
}

async function demo(options: Options): Promise<void> {
  check(options);
  const gateway = connect(options.url, options.token);
  const requestId = randomUUID();
  const run = requestId.slice(0, 8);

  console.log(`1. Who takes part (run ${run})`);
  const people = await findPeople(gateway, options);
  console.log(`   issuer ${people.issuer}, buyer ${people.buyer}`);

  console.log('2. A collection');
  const collection = await openCollection(gateway, run);
  console.log(`   ${collection}`);

  const works = planWorks(people, run);
  console.log(`3. Files: picture, contract terms and ${attachments.length} attachments for each record`);
  const entries = [];
  for (const work of works) {
    entries.push(await prepareEntry(gateway, work, run, collection));
    console.log(`   ${work.title.en}: uploaded by ${work.way}`);
  }

  console.log(`4. Issue ${entries.length} records (requestId ${requestId})`);
  const id = await issue(gateway, requestId, entries);
  await follow(gateway, id);

  console.log('5. Read them back with one query');
  await show(gateway, { id, works, people, collection });
  console.log(`\n✓ ${works.length} records issued, joined and verified. More at ${options.url}/graphql`);
}
