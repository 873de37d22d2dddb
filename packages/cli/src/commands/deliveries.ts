import { Command, Option } from 'commander';
import { FailedError, UsageError } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import { numberOf, openSession, queried, type Session, shortPatience } from '../lib/session.ts';
import { endpointArgument, findEndpoint, mutate } from '../lib/webhook-endpoint.ts';

interface Attempt {
  at: string;
  durationMs: number;
  status: number | null;
  excerpt: string | null;
  error: string | null;
}

/** A delivery as the commands show it. packages/cli/README.md lists its fields under "Commands". */
interface ShownDelivery {
  id: string;
  webhookId: string;
  type: string;
  status: 'PENDING' | 'DELIVERED' | 'FAILED';
  createdAt: string;
  deliveredAt: string | null;
  nextAttemptAt: string | null;
  attemptCount: number;
  attempts: Attempt[];
}

const deliveryFields = `id webhookId type status createdAt deliveredAt nextAttemptAt attemptCount
  attempts { at durationMs status excerpt error }`;

const document = `query Deliveries($id: ID!, $first: Int!, $after: String, $status: WebhookDeliveryStatus) {
  node(id: $id) { ... on WebhookEndpoint { deliveries(first: $first, after: $after, status: $status) {
    edges { node { ${deliveryFields} } }
    pageInfo { hasNextPage endCursor }
  } } }
}`;

interface Page {
  node: {
    deliveries: {
      edges: { node: ShownDelivery }[];
      pageInfo: { hasNextPage: boolean; endCursor: string | null };
    };
  } | null;
}

/** Deliveries per request. */
const pageSize = 50;

/** A line for the delivery, and one below it for each attempt. */
function deliveryLines({ createdAt, status, type, id, nextAttemptAt, attempts }: ShownDelivery): string[] {
  const next = nextAttemptAt && `next attempt ${nextAttemptAt}`;
  const lines = attempts.map(
    ({ at, durationMs, status: answered, excerpt, error }) =>
      `  ${at}  ${durationMs} ms  ${answered ?? error}${excerpt ? `  ${JSON.stringify(excerpt)}` : ''}`,
  );
  return [[createdAt, status, type, id, next].filter(Boolean).join('  '), ...lines];
}

const show = ({ json }: Session, delivery: ShownDelivery) =>
  json ? printJson(delivery) : print(...deliveryLines(delivery));

export const testCommand = new Command('test')
  .summary('send a test, and show the answer')
  .description(
    'Sends a signed delivery of type TEST at once, also to a disabled endpoint, and shows its answer.',
  )
  .addArgument(endpointArgument())
  .addHelpText('after', '\nExamples:\n  $ srr endpoints test https://shop.example/hook')
  .action(async (name: string, _options: unknown, command: Command) => {
    const session = openSession(command, shortPatience);
    const { id } = await findEndpoint(session, name);
    const { delivery } = await mutate<{ delivery: ShownDelivery }>(
      session,
      'sendTestDelivery',
      { id },
      `delivery { ${deliveryFields} }`,
    );
    await show(session, delivery);
    if (delivery.status !== 'DELIVERED')
      throw new FailedError('The endpoint did not accept the test: it must answer 2xx within ten seconds.');
  });

export const deliveriesCommand = new Command('deliveries')
  .summary('show what was sent, and each answer')
  .description(
    'Shows the deliveries to an endpoint, newest first, with the status of each attempt and the beginning of its answer.',
  )
  .addArgument(endpointArgument())
  .addOption(new Option('--status <status>', 'only these').choices(['PENDING', 'DELIVERED', 'FAILED']))
  .option('--limit <deliveries>', 'at most so many', '20')
  .option('--after <cursor>', 'only those after this cursor')
  .addHelpText(
    'after',
    `
Examples:
  $ srr endpoints deliveries https://shop.example/hook --status FAILED
  $ srr endpoints deliveries https://shop.example/hook --json | jq .attempts[-1].excerpt`,
  )
  .action(
    async (name: string, options: { status?: string; limit: string; after?: string }, command: Command) => {
      const limit = numberOf('--limit', options.limit, 1);
      const session = openSession(command, shortPatience);
      const { id } = await findEndpoint(session, name);
      const { status } = options;
      let { after } = options;
      for (let left = limit; left > 0; ) {
        const first = Math.min(left, pageSize);
        const { node }: Page = await queried<Page>(session, document, { id, first, after, status });
        if (!node) throw new FailedError(`The webhook endpoint "${name}" was deleted.`);
        const { edges, pageInfo } = node.deliveries;
        for (const { node: delivery } of edges) await show(session, delivery);
        left -= edges.length;
        after = pageInfo.endCursor ?? after;
        if (!pageInfo.hasNextPage) return;
      }
      say(`There are more: --after ${after}`);
    },
  );

export const redeliverCommand = new Command('redeliver')
  .summary('send one delivery again, or all that failed')
  .description(
    `Sends one delivery again, or all that FAILED since a time, each by the webhook-id that it had. They come
with the next round of deliveries; srr endpoints deliveries shows what became of them.`,
  )
  .addArgument(endpointArgument())
  .argument('[delivery]', 'the id of the delivery, as srr endpoints deliveries shows it')
  .option('--failed-since <time>', 'all that failed and were first sent at this time or later')
  .addHelpText(
    'after',
    `
Examples:
  $ srr endpoints redeliver https://shop.example/hook --failed-since 2026-11-20T00:00:00Z
  $ srr endpoints redeliver https://shop.example/hook 1f0e…`,
  )
  .action(
    async (
      name: string,
      delivery: string | undefined,
      { failedSince }: { failedSince?: string },
      command: Command,
    ) => {
      if ((delivery === undefined) === (failedSince === undefined))
        throw new UsageError('Give either the id of a delivery or --failed-since.');
      const session = openSession(command, shortPatience);
      const { id, status } = await findEndpoint(session, name);
      // The gateway's error would advise a mutation.
      if (status === 'DISABLED')
        throw new FailedError(`This endpoint is disabled. First run: srr endpoints update ${name} --enable`);
      const input = { webhookEndpoint: id, delivery, failedSince };
      const { count } = await mutate<{ count: number }>(session, 'redeliver', input, 'count');
      await (session.json ? printJson({ count }) : print(`${count} sent again.`));
    },
  );
