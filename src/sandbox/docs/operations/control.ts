import { faultSchema } from '../../control/fault-schema.ts';
import { knobsSchema } from '../../control/knobs.ts';
import {
  type Answer,
  address,
  integer,
  list,
  type Operation,
  type Operations,
  object,
  refusals,
  requestSchema,
  text,
} from '../operation.ts';

const tag = 'Test mode';
const anything: Answer['schema'] = { type: 'object' };

function control(operation: Omit<Operation, 'tag'>): Operation {
  return { tag, ...operation, answers: { ...operation.answers, 400: refusals[400] } };
}

/** What the sandbox has beside the service: its settings, its faults, its own views. */
export function controlOperations(fresh: string): Operations {
  return {
    'GET /sandbox': {
      tag,
      summary: 'What this sandbox is',
      description: 'Every address and play key that a program needs.',
      answers: {
        200: {
          description: 'Addresses, licensed users, wallets.',
          schema: object({
            commerceUrl: text,
            subgraphUrl: text,
            ipfsUrl: text,
            rpcUrl: text,
            chainId: integer,
            registryAddress: address,
            issuers: list(object({ address, apiKey: text, name: text })),
            artists: list(object({ address, name: text })),
            buyers: list(object({ address })),
          }),
        },
      },
    },
    'GET /sandbox/settings': {
      tag,
      summary: 'Settings as they are',
      answers: { 200: { description: 'All of them.', schema: anything } },
    },
    'POST /sandbox/settings': control({
      summary: 'Change settings',
      description: 'What is absent stays as it is. Forgotten at a restart, but for quotas.',
      body: { schema: requestSchema(knobsSchema), example: { hashDelayMs: 1000 } },
      answers: { 200: { description: 'Settings as they are now.', schema: anything } },
    }),
    'GET /sandbox/faults': {
      tag,
      summary: 'Faults that wait',
      answers: {
        200: {
          description: 'Those that have not struck yet.',
          schema: object({ faults: { type: 'array' } }),
        },
      },
    },
    'POST /sandbox/faults': control({
      summary: 'Make something go wrong',
      description: 'The fault strikes the given number of times, on occasions that follow from its seed.',
      body: {
        schema: requestSchema(faultSchema),
        example: { kind: 'issue', externalId: fresh, effect: 'entryUnknown' },
      },
      answers: { 201: { description: 'It waits.', schema: object({ id: text }) } },
    }),
    'DELETE /sandbox/faults': {
      tag,
      summary: 'Forget all faults',
      answers: { 204: { description: 'None waits.' } },
    },
    'GET /sandbox/deliveries': control({
      summary: 'Webhook deliveries, newest first',
      query: {
        limit: { schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
        status: { schema: { enum: ['pending', 'delivered', 'failed', 'dropped'] } },
      },
      answers: {
        200: {
          description: 'JSON, or a page for a browser.',
          schema: object({ deliveries: { type: 'array' } }),
        },
      },
    }),
    'POST /sandbox/deliveries/:id/again': control({
      summary: 'Deliver once more',
      params: { id: { schema: { type: 'string', format: 'uuid' } } },
      answers: { 200: { description: 'The delivery, waiting.', schema: anything }, 404: refusals[404] },
    }),
    'POST /sandbox/histories': control({
      summary: 'Record a custom history',
      description:
        'An exhibition, an auction or the like, with the records that take part. A type is registered on first use.',
      body: {
        schema: object(
          { type: text, name: text, metadataCID: text },
          { records: list(object({ tokenId: text }, { collection: address })) },
        ),
        example: {
          type: 'exhibition',
          name: 'Summer rooms',
          metadataCID: 'bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay',
        },
      },
      answers: { 201: { description: 'On the chain.', schema: object({ id: text, historyTypeId: text }) } },
    }),
    'POST /sandbox/transfers': control({
      summary: 'Transfer a record with its provenance',
      body: {
        schema: object(
          { tokenId: text, to: address },
          {
            collection: address,
            metadataCID: text,
            customHistoryId: integer,
            isIntermediary: { type: 'boolean' },
          },
        ),
      },
      answers: { 201: { description: 'Mined.', schema: anything } },
    }),
    'POST /sandbox/reservations': control({
      summary: 'Reserve a transfer',
      body: {
        schema: object(
          { tokenId: text, commitment: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' } },
          { collection: address, metadataCID: text, customHistoryId: integer },
        ),
      },
      answers: { 201: { description: 'Mined.', schema: anything } },
    }),
    'POST /sandbox/reorg': control({
      summary: 'Reorganise the chain',
      body: {
        schema: object(
          { depth: { type: 'integer', minimum: 1, maximum: 64 } },
          { records: { enum: ['again', 'lost'] } },
        ),
        example: { depth: 1 },
      },
      answers: { 200: { description: 'Done.', schema: anything } },
    }),
  };
}
