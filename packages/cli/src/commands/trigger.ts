import { randomUUID } from 'node:crypto';
import type { EventType, IssueEntryInput } from '@srr-gateway/client';
import { Argument, Command } from 'commander';
import { eventTypes } from '../generated/events.ts';
import { type EventOutput, eventsSubscription, toEventOutput } from '../lib/event-document.ts';
import { eventLine, eventTypeOf } from '../lib/event-options.ts';
import { FailedError, UsageError } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import { headCursor, issuerOf, openSession, type Session, shortRetrySeconds } from '../lib/session.ts';
import { httpUrl } from '../lib/settings.ts';
import { Sandbox } from './sandbox.ts';

const defaultSandbox = 'http://127.0.0.1:4001';

interface Trigger {
  session: Session;
  sandbox: Sandbox;
  issuer: string;
}

/** How the sandbox causes each type, or why it cannot. */
const causes: Record<EventType, ((trigger: Trigger) => Promise<unknown>) | string> = {
  SRR_ISSUED: (trigger) => issueRecord(trigger, 'triggered'),
  // The sandbox fails an entry with such an externalId, at once and for good.
  SRR_FAILED: (trigger) => issueRecord(trigger, 'fail-gas-over-allowance'),
  COLLECTION_CREATED: async ({ session: { client, signal } }) => {
    const input = { name: 'Triggered', symbol: 'TRIG', requestId: randomUUID() };
    const { data } = await client.mutate<{ createCollection: { userErrors: { message: string }[] } }>(
      'mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { userErrors { message } } }',
      { input },
      { signal },
    );
    const [fault] = data.createCollection.userErrors;
    if (fault) throw new FailedError(fault.message);
  },
  COLLECTION_FAILED: ({ sandbox, issuer }) =>
    sandbox.post('deliveries', {
      issuer,
      type: 'collection_create_failed',
      data: [{ collectionAddress: randomAddress(), message: 'triggered' }],
    }),
  TRANSFER_RESERVED: async (trigger) => {
    const tokenId = await issueRecord(trigger, 'triggered');
    const commitment = `0x${randomUUID().replaceAll('-', '').repeat(2)}`;
    await trigger.sandbox.post('reservations', { tokenId, commitment });
  },
  TRANSFER_COMPLETED: async (trigger) => {
    const tokenId = await issueRecord(trigger, 'triggered');
    await trigger.sandbox.post('transfers', { tokenId, to: await trigger.sandbox.buyer() });
  },
  ISSUANCE_REJECTED: 'the gateway creates it when the files of an issuance do not become ready in time',
  WEBHOOK_ENDPOINT_DISABLED: 'the gateway creates it when an endpoint fails for days',
  UNRECOGNIZED: ({ sandbox, issuer }) =>
    sandbox.post('deliveries', {
      issuer,
      type: 'transfer_key',
      calledAs: 'triggered_by_hand',
      data: [{ note: `nothing happened ${randomUUID()}` }],
    }),
};

const supportedTypes = eventTypes.filter((type) => typeof causes[type] !== 'string');

const randomAddress = () => `0x${randomUUID().replaceAll('-', '')}${randomUUID().slice(0, 8)}`;

/** A picture of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Issues a new record, and returns its token id if it has one. */
async function issueRecord({ session, sandbox }: Trigger, prefix: string): Promise<string | undefined> {
  const { client, signal } = session;
  const externalId = `${prefix}-${randomUUID()}`;
  const bytes = new Blob([Buffer.from(pixel, 'base64')]);
  const { id } = await client.upload(bytes, {
    filename: 'srr-trigger-pixel.png',
    category: 'NON_ATTACHMENT_FILE',
    signal,
  });
  const image = { upload: id };
  const text = { en: externalId };
  const entry: IssueEntryInput = {
    externalId,
    artistAddress: await sandbox.artist(),
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    metadata: { name: externalId, title: text, medium: text, yearOfCreation: text, image, thumbnail: image },
  };
  const { entries } = await client.issue([entry], { requestId: externalId, signal }).done;
  return entries[0]?.srr?.tokenId;
}

export const triggerCommand = new Command('trigger')
  .summary('make the sandbox cause an event')
  .description(
    `Makes the sandbox cause an event, so that you can try your receiver: it issues, fails or transfers a record, and
prints the event when it arrives. It works only with a sandbox.`,
  )
  .addArgument(new Argument('<event>', `one of ${supportedTypes.join(', ')}`))
  .option(
    '--sandbox <address>',
    `the sandbox behind the gateway (default: SRR_SANDBOX_URL, or ${defaultSandbox})`,
  )
  .addHelpText('after', '\nExamples:\n  $ srr trigger SRR_ISSUED\n  $ srr trigger transfer-completed')
  .action(async (name: string, options: { sandbox?: string }, command: Command) => {
    const type = eventTypeOf('<event>', name);
    const cause = causes[type];
    if (typeof cause === 'string') throw new UsageError(`The sandbox cannot cause ${type}: ${cause}.`);
    const session = openSession(command, shortRetrySeconds);
    const address = options.sandbox ?? (process.env.SRR_SANDBOX_URL || defaultSandbox);
    const sandbox = new Sandbox(httpUrl('--sandbox', address, `an address such as ${defaultSandbox}`).origin);
    const issuer = await issuerOf(session);
    // The issuers of a sandbox exist nowhere else, so this cannot issue records at a live service by mistake.
    if (!(await sandbox.issuers()).includes(issuer.toLowerCase()))
      throw new UsageError(
        `${session.url} has no sandbox behind it: the one at ${address} has no issuer ${issuer}.`,
      );
    const head = await headCursor(session);
    await cause({ session, sandbox, issuer });
    const event = await waitForEvent(session, type, head);
    await (session.json ? printJson(event) : print(eventLine(event)));
  });

/** Deliveries and the subgraph take seconds, and up to a minute on a very busy machine. */
const timeoutMs = 60_000;

async function waitForEvent(session: Session, type: EventType, after: string): Promise<EventOutput> {
  const { signal } = session;
  const found = new AbortController();
  const until = AbortSignal.any([signal, found.signal, AbortSignal.timeout(timeoutMs)]);
  let event: EventOutput | undefined;
  await session.client.follow<Record<string, unknown>>({
    document: eventsSubscription,
    after,
    where: { types: [type] },
    signal: until,
    onRetry: ({ error }) => say(error.message),
    onEvent: (one) => {
      event = toEventOutput(one);
      found.abort();
    },
  });
  signal.throwIfAborted();
  if (event) return event;
  throw new FailedError(`The sandbox was asked for ${type}, and no such event came within a minute.`);
}
