import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { Webhook } from 'standardwebhooks';
import type { EventOutput } from '../lib/event-document.ts';
import { type EventOptions, withEventOptions } from '../lib/event-options.ts';
import { UsageError } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import { longRetrySeconds, openSession } from '../lib/session.ts';
import { httpUrl, readSecret } from '../lib/settings.ts';
import { followEvents } from './events.ts';

/** Attempts at a receiver that answers, but not with 2xx; then the next event is sent. */
const maxAnswers = 5;

/** As long as most senders of webhooks wait. A slower handler should answer first and work later. */
const timeoutMs = 15_000;

/** Backs off from half a second to 10 s, so that a receiver that restarts is found soon. */
const pauseMs = (attempt: number) => Math.min(10_000, 500 * 2 ** (attempt - 1));

export const listenCommand = withEventOptions(new Command('listen'))
  .summary('forward events to a program on this machine')
  .description(
    `Forwards the events of your log to a program on this machine, as deliveries signed according to Standard Webhooks
(https://www.standardwebhooks.com), and prints the signing secret. Each delivery is a POST of
{"type", "timestamp", "data"}.

While the receiver is down, srr waits; then it delivers every event in order. If the receiver does not answer 2xx,
an event is sent up to ${maxAnswers} times. Each start makes a new secret unless SRR_WEBHOOK_SECRET is set.`,
  )
  .requiredOption('--forward-to <url>', 'where deliveries go')
  .option('--from <place>', 'BEGINNING forwards the whole log first', 'NOW')
  .addHelpText(
    'after',
    `
Examples:
  $ srr listen --forward-to http://localhost:3000/hook
  $ srr listen --forward-to http://localhost:3000/hook --events SRR_ISSUED,SRR_FAILED`,
  )
  .action(async (options: EventOptions & { forwardTo: string; from: string }, command: Command) => {
    const url = httpUrl(
      '--forward-to',
      options.forwardTo,
      'an address such as http://localhost:3000/hook',
      ' Deliveries are signed: check webhook-signature instead.',
    ).href;
    const session = openSession(command, longRetrySeconds);
    const { json, signal } = session;
    const { secret, webhook } = signer(readSecret('SRR_WEBHOOK_SECRET', process.env));
    await followEvents(
      session,
      options,
      async (event) => {
        const delivered = await deliver(webhook, url, event, signal);
        if (json) await printJson(delivered);
        else await print(lineOf(delivered));
      },
      async (issuer) =>
        json
          ? printJson({ listening: true, issuer, forwardTo: url, secret })
          : print(`Listening to the events of ${issuer}.`, `Signing secret: ${secret}`),
    );
  });

function signer(ownSecret: string | undefined): { secret: string; webhook: Webhook } {
  const secret = ownSecret || `whsec_${randomBytes(24).toString('base64')}`;
  try {
    return { secret, webhook: new Webhook(secret) };
  } catch {
    throw new UsageError('SRR_WEBHOOK_SECRET: must be "whsec_" and base64, as srr listen prints it.');
  }
}

interface Delivered {
  id: string;
  type: string;
  /** The receiver's last answer. */
  status: number;
  attempts: number;
  delivered: boolean;
}

async function deliver(
  webhook: Webhook,
  url: string,
  event: EventOutput,
  signal: AbortSignal,
): Promise<Delivered> {
  const { id, type, receivedAt } = event;
  const body = JSON.stringify({ type, timestamp: receivedAt, data: event });
  for (let attempt = 1, answers = 0; ; attempt++) {
    const status = await post(webhook, url, id, body, signal);
    if (status !== undefined) answers++;
    const delivered = status !== undefined && status >= 200 && status < 300;
    if (status !== undefined && (delivered || answers === maxAnswers))
      return { id, type, status, attempts: attempt, delivered };
    say(
      status === undefined
        ? `No answer from ${url}. Trying again.`
        : `${url} answered ${status} to ${type}. Trying again.`,
    );
    await sleep(pauseMs(attempt), undefined, { signal });
  }
}

/** The status of the answer; undefined without one. Each attempt has its own signature, which covers the time. */
async function post(
  webhook: Webhook,
  url: string,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const now = new Date();
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const lineOf = ({ id, type, status, attempts: tries, delivered }: Delivered) =>
  `${new Date().toISOString()}  ${type}  ${id}  ${status}${delivered ? '' : ' (given up)'}${tries > 1 ? `  after ${tries} attempts` : ''}`;
