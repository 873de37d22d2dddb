import type { EntryRow } from '../../issuance/flow.ts';
import { builder } from '../builder.ts';
import { recordOfEntry } from '../record-source.ts';
import { SRR } from './refs.ts';
import { UserError } from './user-error.ts';

export const EntryStatusEnum = builder.enumType('EntryStatus', {
  description: 'Where one record stands.',
  values: {
    PENDING: { description: 'Not sent, or not answered yet.' },
    WAITING_FOR_MINING: { description: 'Accepted by the service.' },
    ISSUED: { description: 'Minted. Final.' },
    FAILED: { description: 'Refused, or accepted and not mined; error says which.' },
    CANCELLED: { description: 'Never sent.' },
  } as const,
});

const OutcomeSourceEnum = builder.enumType('OutcomeSource', {
  description: 'How the gateway learned an entry’s status.',
  values: {
    RESPONSE: { description: 'From the service’s answer to the request.' },
    WEBHOOK: { description: 'From a webhook delivery.' },
    SUBGRAPH: { description: 'From the index, because no webhook came in time.' },
  } as const,
});

export const IssuanceEntry = builder.objectRef<EntryRow>('IssuanceEntry').implement({
  description: 'One record of an issuance.',
  fields: (t) => ({
    externalId: t.exposeString('external_id', {
      nullable: false,
      description: 'The issuer’s own reference.',
    }),
    status: t.field({
      type: EntryStatusEnum,
      nullable: false,
      description: 'Where it stands.',
      resolve: (entry) => entry.status,
    }),
    outcomeSource: t.field({
      type: OutcomeSourceEnum,
      description: 'How the status was learned.',
      resolve: (entry) => entry.outcome_source,
    }),
    srr: t.field({
      type: SRR,
      description:
        'From acceptance on: ids and metadata at once, the chain’s part as soon as the index has it.',
      resolve: (entry, _args, context) => recordOfEntry(entry, context),
    }),
    removedAt: t.field({
      type: 'DateTime',
      description:
        'Since when the index shows the issued record no more: a reorganisation of the chain took it away. Null again once it is back. Watched for half an hour after the outcome, unless configured otherwise.',
      resolve: (entry) => entry.removed_at,
    }),
    error: t.field({
      type: UserError,
      description: 'Why it failed, with the path into the mutation’s input.',
      resolve: (entry) => entry.error,
    }),
  }),
});

const IssuanceEntryEdge = builder.edgeObject({
  type: IssuanceEntry,
  name: 'IssuanceEntryEdge',
});
export const IssuanceEntryConnection = builder.connectionObject(
  { type: IssuanceEntry, name: 'IssuanceEntryConnection' },
  IssuanceEntryEdge,
);
