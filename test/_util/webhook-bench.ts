import type { Logger } from '@srr-gateway/common/log';
import type { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { openTables } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';
import type { Data } from './graphql-caller.ts';
import { type LoneGateway, loneWebhookKey, startLoneGateway } from './lone-gateway.ts';
import { receiverSecret } from './webhook-receiver.ts';

/** Short intervals, and permission to deliver to loopback. */
export const quickEnv = {
  ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8',
  WEBHOOK_TIMEOUT: '1',
  WEBHOOK_RETRY_FIRST: '0.05',
  WEBHOOK_RATE: '1000',
};

export interface WebhookBench {
  gateway: LoneGateway;
  db: Kysely<Tables>;
  /** Sends the gateway one failed issuance for each id, as the issuance service does. */
  happen(...externalIds: string[]): Promise<void>;
  /** Creates an endpoint with `receiverSecret` and returns its global id. */
  create(url: string, more?: object): Promise<string>;
  /** Runs a mutation of one input and returns its payload. */
  mutate(name: string, input: object, selection: string): Promise<Data>;
  endpoint(id: string): Promise<Data>;
}

export const endpointFields = `id url types description status failingSince configured
  deliveries { edges { node { id webhookId type status attemptCount nextAttemptAt deliveredAt
    attempts { at durationMs status excerpt error } } } }`;

/** A gateway that delivers webhooks until the test ends. */
export async function webhookBench(env: Record<string, string> = {}, log?: Logger): Promise<WebhookBench> {
  const gateway = await startLoneGateway({ ...quickEnv, ...env }, log);
  onTestFinished(() => gateway.stop());
  const { caller } = gateway;
  const mutate = async (name: string, input: object, selection: string) => {
    const inputType = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const data = await caller.data(
      `mutation ($input: ${inputType}!) { ${name}(input: $input) { ${selection} userErrors { code message path upstreamMessage } } }`,
      { input },
    );
    return data[name];
  };
  return {
    gateway,
    db: await openTables(gateway.database),
    mutate,
    happen: (...ids) => sendFailures(gateway.address, loneWebhookKey, ids),
    create: async (url, more = {}) => {
      const made = await mutate(
        'createWebhookEndpoint',
        { url, secret: receiverSecret, ...more },
        'webhookEndpoint { id }',
      );
      if (!made.webhookEndpoint) throw new Error(JSON.stringify(made.userErrors));
      return made.webhookEndpoint.id;
    },
    endpoint: async (id) => {
      const { node } = await caller.data(
        `query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint { ${endpointFields} } } }`,
        { id },
      );
      return node && { ...node, deliveries: node.deliveries.edges.map(({ node: one }: Data) => one) };
    },
  };
}

/** Sends one delivery of the issuance service with these failed issuances. */
export async function sendFailures(url: string, key: string, externalIds: string[]): Promise<void> {
  const response = await fetch(`${url}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      type: 'issue_failed',
      data: externalIds.map((externalId) => ({ externalId, message: 'no gas' })),
    }),
  });
  if (!response.ok) throw new Error(`the gateway answered ${response.status} to a delivery`);
}
