import { Command, Option } from 'commander';
import { eventsOption, eventTypesOf } from '../lib/event-options.ts';
import { UsageError } from '../lib/exit-codes.ts';
import { print, printJson } from '../lib/output.ts';
import { issuerOf, openSession, type Session, shortPatience } from '../lib/session.ts';
import { readSecret } from '../lib/settings.ts';
import {
  endpointArgument,
  endpointFields,
  endpointLine,
  endpointText,
  findEndpoint,
  listEndpoints,
  mutate,
  type ShownEndpoint,
} from '../lib/webhook-endpoint.ts';
import { deliveriesCommand, redeliverCommand, testCommand } from './deliveries.ts';

interface Changed {
  webhookEndpoint: ShownEndpoint;
  secret: string | null;
}

const changedFields = `webhookEndpoint { ${endpointFields} } secret`;

/** A secret is shown only by the command that made it. */
const show = ({ json }: Session, { webhookEndpoint, secret }: Changed) =>
  json
    ? printJson({ ...webhookEndpoint, ...(secret && { secret }) })
    : print(...endpointText(webhookEndpoint, secret));

const change = async (session: Session, name: string, changes: object) => {
  const { id } = await findEndpoint(session, name);
  await show(session, await mutate(session, 'updateWebhookEndpoint', { id, ...changes }, changedFields));
};

const list = new Command('list')
  .summary('list your endpoints')
  .description('Lists your webhook endpoints, oldest first, with the status of each.')
  .addHelpText('after', '\nExamples:\n  $ srr endpoints list\n  $ srr endpoints list --json | jq -r .url')
  .action(async (_options: unknown, command: Command) => {
    const session = openSession(command, shortPatience);
    for (const endpoint of await listEndpoints(session))
      await (session.json ? printJson(endpoint) : print(endpointLine(endpoint)));
  });

const create = new Command('create')
  .summary('send events to an address')
  .description(
    `Creates a webhook endpoint. The address must answer 2xx to a signed delivery of type CHALLENGE at once;
then it gets your events from now on. Prints the secret that signs, this once: SRR_WEBHOOK_SECRET if that is
set, so that the receiver can verify the challenge too, or one that the gateway draws.`,
  )
  .argument('<address>', 'https, on a public host; with the sandbox also http on this machine')
  .addOption(eventsOption('send only these types'))
  .option('--description <text>', 'a name for people')
  .addHelpText(
    'after',
    `
Examples:
  $ srr endpoints create https://shop.example/hook --events SRR_ISSUED,SRR_FAILED
  $ export SRR_WEBHOOK_SECRET="whsec_$(openssl rand -base64 32)"
  $ srr endpoints create http://127.0.0.1:3000/hook`,
  )
  .action(
    async (
      url: string,
      { events, description }: { events?: string; description?: string },
      command: Command,
    ) => {
      const types = eventTypesOf(events);
      const secret = readSecret('SRR_WEBHOOK_SECRET', process.env);
      const session = openSession(command, shortPatience);
      await issuerOf(session);
      const input = { url, types, description, secret };
      await show(session, await mutate<Changed>(session, 'createWebhookEndpoint', input, changedFields));
    },
  );

interface Changes {
  address?: string;
  events?: string;
  description?: string;
  enable?: true;
  disable?: true;
}

const update = new Command('update')
  .summary('change an endpoint')
  .description(
    `Changes a webhook endpoint; what is not named stays. A new address is challenged like the first one. An
endpoint that is enabled again goes on where deliveries stopped.`,
  )
  .addArgument(endpointArgument())
  .option('--address <address>', 'send to this address from now on')
  .addOption(eventsOption('send only these types from now on, or "all"'))
  .option('--description <text>', 'a name for people; "" for none')
  .addOption(new Option('--enable', 'send deliveries, also after it was disabled').conflicts('disable'))
  .option('--disable', 'send nothing until it is enabled')
  .addHelpText(
    'after',
    `
Examples:
  $ srr endpoints update https://shop.example/hook --events all
  $ srr endpoints update https://shop.example/hook --address https://shop.example/v2/hook
  $ srr endpoints update https://shop.example/hook --enable`,
  )
  .action(async (name: string, options: Changes, command: Command) => {
    const { address, events, description, enable, disable } = options;
    if (Object.keys(options).length === 0)
      throw new UsageError(
        'Nothing to change: give --address, --events, --description, --enable or --disable.',
      );
    await change(openSession(command, shortPatience), name, {
      url: address,
      types: eventTypesOf(events),
      description: description === '' ? null : description,
      status: enable ? 'ENABLED' : disable ? 'DISABLED' : undefined,
    });
  });

const rotate = new Command('rotate')
  .summary('give an endpoint a new secret')
  .description(
    `Gives a webhook endpoint a new secret and prints it, this once. For 24 hours deliveries are signed with the
old one too, so the receiver can change at any time in between; another rotation ends it at once.
SRR_NEW_WEBHOOK_SECRET is taken when it is set.`,
  )
  .addArgument(endpointArgument())
  .addHelpText('after', '\nExamples:\n  $ srr endpoints rotate https://shop.example/hook')
  .action(async (name: string, _options: unknown, command: Command) => {
    // Not SRR_WEBHOOK_SECRET: if that is still set, the new secret would be the old one.
    const secret = readSecret('SRR_NEW_WEBHOOK_SECRET', process.env);
    await change(openSession(command, shortPatience), name, { rotateSecret: true, secret });
  });

const remove = new Command('delete')
  .summary('delete an endpoint with its deliveries')
  .description('Deletes a webhook endpoint with all its deliveries. update --disable keeps both.')
  .addArgument(endpointArgument())
  .addHelpText('after', '\nExamples:\n  $ srr endpoints delete https://shop.example/hook')
  .action(async (name: string, _options: unknown, command: Command) => {
    const session = openSession(command, shortPatience);
    const { id, url } = await findEndpoint(session, name);
    const { deletedId } = await mutate<{ deletedId: string }>(
      session,
      'deleteWebhookEndpoint',
      { id },
      'deletedId',
    );
    await (session.json ? printJson({ deletedId }) : print(`Deleted: ${url}`));
  });

export const endpointsCommand = new Command('endpoints')
  .summary('manage the webhook endpoints that get your events')
  .description(
    'Manages webhook endpoints: the addresses to which the gateway sends your events. Needs the scope webhooks.',
  );
for (const command of [
  list,
  create,
  update,
  rotate,
  remove,
  testCommand,
  deliveriesCommand,
  redeliverCommand,
])
  endpointsCommand.addCommand(command);
