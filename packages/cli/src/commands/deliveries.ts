import { Command, Option } from 'commander';
import { FailedError, UsageError } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import {
  openSession,
  parseWholeNumber,
  queryOrThrow,
  type Session,
  shortRetrySeconds,
} from '../lib/session.ts';
import { endpointArgument, findEndpoint, mutate } from '../lib/webhook-endpoint.ts';

interface Attempt {
  at: string;
  durationMs: number;
  status: number | null;
  excerpt: string | null;
  error: string | null;
}

/** A delivery as the commands show it. packages/cli/README.md lists its fields under "Commands". */
interface DeliveryOutput {
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
      edges: { node: DeliveryOutput }[];
      pageInfo: { hasNextPage: boolean; endCursor: string | null };
    };
  } | null;
}

/** Deliveries per request. */
const pageSize = 50;

/** A line for the delivery, and one below it for each attempt. */
function deliveryLines({ createdAt, status, type, id, nextAttemptAt, attempts }: DeliveryOutput): string[] {
  const next = nextAttemptAt && `next attempt ${nextAttemptAt}`;
  const lines = attempts.map(
    ({ at, durationMs, status: httpStatus, excerpt, error }) =>
      `  ${at}  ${durationMs} ms  ${httpStatus ?? error}${excerpt ? `  ${JSON.stringify(excerpt)}` : ''}`,
  );
  return [[createdAt, status, type, id, next].filter(Boolean).join('  '), ...lines];
}

const show = ({ json }: Session, delivery: DeliveryOutput) =>
  json ? printJson(delivery) : print(...deliveryLines(delivery));

export const testCommand = new Command('test')
  .summary('send a test delivery and show the response')
  .description(
    'Sends a signed delivery of type TEST at once, even to a disabled endpoint, and shows the response.',
  )
  .addArgument(endpointArgument())
  .addHelpText('after', '\nExamples:\n  $ srr endpoints test https://shop.example/hook')
  .action(async (name: string, _options: unknown, command: Command) => {
    const session = openSession(command, shortRetrySeconds);
    const { id } = await findEndpoint(session, name);
    const { delivery } = await mutate<{ delivery: DeliveryOutput }>(
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
  .summary('list the deliveries with their responses')
  .description(
    'Lists the deliveries to an endpoint, newest first, with the status and the beginning of the response of each attempt.',
  )
  .addArgument(endpointArgument())
  .addOption(
    new Option('--status <status>', 'only deliveries with this status').choices([
      'PENDING',
      'DELIVERED',
      'FAILED',
    ]),
  )
  .option('--limit <deliveries>', 'how many to print at most', '20')
  .option('--after <cursor>', 'continue the list after this cursor')
  .addHelpText(
    'after',
    `
Examples:
  $ srr endpoints deliveries https://shop.example/hook --status FAILED
  $ srr endpoints deliveries https://shop.example/hook --json | jq .attempts[-1].excerpt`,
  )
  .action(
    async (name: string, options: { status?: string; limit: string; after?: string }, command: Command) => {
      const limit = parseWholeNumber('--limit', options.limit, 1);
      const session = openSession(command, shortRetrySeconds);
      const { id } = await findEndpoint(session, name);
      const { status } = options;
      let { after } = options;
      for (let remaining = limit; remaining > 0; ) {
        const first = Math.min(remaining, pageSize);
        const { node }: Page = await queryOrThrow<Page>(session, document, { id, first, after, status });
        if (!node) throw new FailedError(`The webhook endpoint "${name}" was deleted.`);
        const { edges, pageInfo } = node.deliveries;
        for (const { node: delivery } of edges) await show(session, delivery);
        remaining -= edges.length;
        after = pageInfo.endCursor ?? after;
        if (!pageInfo.hasNextPage) return;
      }
      say(`There are more: --after ${after}`);
    },
  );

export const redeliverCommand = new Command('redeliver')
  .summary('send one delivery again, or all that failed')
  .description(
    `Queues one delivery again, or all that FAILED since a time, each with its old webhook-id. See their outcome
with srr endpoints deliveries.`,
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
      const session = openSession(command, shortRetrySeconds);
      const { id, status } = await findEndpoint(session, name);
      // The gateway's own message would advise a mutation.
      if (status === 'DISABLED')
        throw new FailedError(`This endpoint is disabled. First run: srr endpoints update ${name} --enable`);
      const input = { webhookEndpoint: id, delivery, failedSince };
      const { count } = await mutate<{ count: number }>(session, 'redeliver', input, 'count');
      await (session.json ? printJson({ count }) : print(`${count} sent again.`));
    },
  );
