import { expect, it } from 'vitest';
import { shownFields } from './event-fields.ts';

const selections = { SRR: '{ id }', UserError: '{ code }' };

it.each([
  ['SRRIssued', 'externalId: String, srr: SRR! { id }'],
  ['SRRFailed', 'externalId: String, error: UserError! { code }'],
  ['TransferReserved', 'srr: SRR { id }'],
  ['TransferCompleted', 'srr: SRR { id }'],
  ['CollectionCreated', 'address: Address!'],
  ['CollectionFailed', 'address: Address, error: UserError! { code }'],
  ['IssuanceRejected', 'requestId: String!, error: UserError! { code }'],
  ['WebhookEndpointDisabled', 'message: String!, webhookEndpoint: ID!'],
  ['UnrecognizedEvent', 'kind: String'],
] as const)(
  'the default fields of %s are those that need not wait for the subgraph',
  (type, expectedFields) => {
    const fields = shownFields(type, selections);
    expect(fields.map(({ name, type, selection }) => `${name}: ${type} ${selection}`.trim()).join(', ')).toBe(
      expectedFields,
    );
  },
);
