import type { EntryRow, IssuanceRow } from '../../issuance/flow.ts';
import { isUuid } from '../../model/uuid.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { recordOfEntry } from '../record-source.ts';
import { IssuanceRef, SRR } from './refs.ts';
import { UserError } from './user-error.ts';

export const EntryStatusEnum = builder.enumType('EntryStatus', {
  description: 'Where one record stands.',
  values: {
    PENDING: { description: 'Not sent, or not answered yet.' },
    WAITING_FOR_MINING: { description: 'Accepted by the service.' },
    ISSUED: { description: 'Minted. Final.' },
    FAILED: {
      description:
        'Refused, or accepted and not mined; error says which. It becomes ISSUED if the chain shows it all the same.',
    },
    CANCELLED: { description: 'Never sent.' },
  } as const,
});

export const OutcomeSourceEnum = builder.enumType('OutcomeSource', {
  description: 'How the gateway learned the status of an entry or of a collection.',
  values: {
    RESPONSE: { description: 'From the service’s answer to the request.' },
    WEBHOOK: { description: 'From a webhook delivery.' },
    SUBGRAPH: { description: 'From the index, because no webhook came in time.' },
  } as const,
});

/** Null for what is no entry of the caller; the store would refuse to compare a text that is no UUID. */
async function entryById(id: string, { fresh }: Context): Promise<EntryRow | null> {
  const [, issuanceId = '', index] = /^(.*):(\d{1,9})$/.exec(id) ?? [];
  return isUuid(issuanceId) ? fresh.issuances.entryAt.load({ issuanceId, index: Number(index) }) : null;
}

const IssuanceEntryRef = builder.objectRef<EntryRow>('IssuanceEntry');
export const IssuanceEntry = builder.node(IssuanceEntryRef, {
  id: {
    description: 'The id of this entry, the same for ever: client caches may keep the entry by it.',
    resolve: (entry) => `${entry.issuance_id}:${entry.index}`,
  },
  authScopes: { read: true, issue: true },
  isTypeOf: (value) =>
    typeof value === 'object' && value !== null && 'external_id' in value && 'batch' in value,
  description: 'One record of an issuance.',
  loadOne: (id, context) => entryById(id, context),
  fields: (t) => ({
    issuance: t.field({
      type: IssuanceRef,
      nullable: false,
      description: 'The issuance that it is part of.',
      resolve: async (entry, _args, { fresh }) =>
        (await fresh.issuances.byId.load(entry.issuance_id)) as IssuanceRow,
    }),
    externalId: t.exposeString('external_id', {
      nullable: false,
      description: 'The issuer’s own reference.',
    }),
    input: t.field({
      type: 'JSON',
      nullable: false,
      description:
        'What issueSRRs was asked for this entry, in the names of IssueEntryInput; files are named as they were given. An empty object when the gateway does not have it: the entry is from before this was kept, or its details were dropped (KEEP_DETAILS_DAYS after the end of its issuance).',
      resolve: (entry) => entry.input ?? {},
    }),
    status: t.field({
      type: EntryStatusEnum,
      nullable: false,
      description: 'Where it stands.',
      resolve: (entry) => entry.status,
    }),
    outcomeSource: t.field({
      type: OutcomeSourceEnum,
      description: 'How the gateway learned the status. Null while the status is PENDING or CANCELLED.',
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
      description:
        'Why it failed, with the path into the mutation’s input. Null unless its status is FAILED.',
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
