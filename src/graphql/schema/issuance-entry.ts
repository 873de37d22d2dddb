import type { EntryRow, IssuanceRow } from '../../issuance/flow.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { columnsOf } from './columns.ts';
import { recordOfEntry } from './record-source.ts';
import { IssuanceRef, SRR } from './refs.ts';
import { UserError } from './user-error.ts';

export const EntryStatusEnum = builder.enumType('EntryStatus', {
  description: 'The status of an issuance entry or of a collection creation.',
  values: {
    PENDING: {
      description: 'It has not been sent to the issuance service, or the service has not answered yet.',
    },
    WAITING_FOR_MINING: {
      description: 'The issuance service has accepted it, and its transaction is not mined yet.',
    },
    ISSUED: { description: 'It was minted or deployed. This status is final.' },
    FAILED: {
      description:
        'It was refused, or was accepted but not mined; error says which. It becomes ISSUED if it is on chain after all.',
    },
    CANCELLED: {
      description:
        'It was never sent: the issuance was cancelled, or rejected first, as Issuance.error says.',
    },
  } as const,
});

export const OutcomeSourceEnum = builder.enumType('OutcomeSource', {
  description: 'The source of the status of an entry or of a collection.',
  values: {
    RESPONSE: { description: 'The issuance service’s answer to the gateway’s request.' },
    WEBHOOK: { description: 'A webhook delivery of the issuance service.' },
    SUBGRAPH: { description: 'The subgraph, which the gateway asked because no webhook came in time.' },
  } as const,
});

/**
 * The caller's entry with this id. Checks the id first: comparing a uuid column with other text is an error.
 */
async function entryById(id: string, { loaders }: Context): Promise<EntryRow | null> {
  const [, issuanceId = '', index] = /^(.*):(\d{1,9})$/.exec(id) ?? [];
  return isUuid(issuanceId) ? loaders.issuances.entryAt.load({ issuanceId, index: Number(index) }) : null;
}

export const IssuanceEntry = builder.node(builder.objectRef<EntryRow>('IssuanceEntry'), {
  id: {
    description: 'The global id of this entry. It never changes.',
    resolve: (entry) => `${entry.issuance_id}:${entry.index}`,
  },
  authScopes: { read: true, issue: true },
  isTypeOf: (value) =>
    typeof value === 'object' && value !== null && 'external_id' in value && 'batch' in value,
  description: 'One record of an issuance, from the gateway’s database.',
  loadOne: (id, context) => entryById(id, context),
  fields: (t) => ({
    issuance: t.field({
      type: IssuanceRef,
      nullable: false,
      description: 'The issuance that this entry is part of.',
      resolve: async (entry, _args, { loaders }) =>
        (await loaders.issuances.byId.load(entry.issuance_id)) as IssuanceRow,
    }),
    externalId: t.exposeString('external_id', {
      nullable: false,
      description: 'The issuer’s own reference of the record.',
    }),
    input: t.field({
      type: 'JSON',
      nullable: false,
      description:
        'The entry as it was given to issueSRRs, in the names of IssueEntryInput. An empty object for entries from before the gateway stored it, and KEEP_DETAILS_DAYS after the issuance ended (default: 90 days).',
      resolve: (entry) => entry.input ?? {},
    }),
    status: t.field({
      type: EntryStatusEnum,
      nullable: false,
      description: 'The status of this entry.',
      resolve: (entry) => entry.status,
    }),
    outcomeSource: t.field({
      type: OutcomeSourceEnum,
      description: 'The source of the status. Null while the status is PENDING or CANCELLED.',
      resolve: (entry) => entry.outcome_source,
    }),
    srr: t.field({
      type: SRR,
      description:
        'The record. Null until the issuance service has accepted the entry; then it has its ids and metadata at once, and the subgraph’s fields once it is indexed.',
      resolve: (entry, _args, context, info) => recordOfEntry(entry, context, columnsOf(info)),
    }),
    removedAt: t.field({
      type: 'DateTime',
      description:
        'When the gateway saw that a chain reorganisation had removed the issued record. Null when the record is on chain. Checked for REORG_WATCH after the outcome (default: half an hour).',
      resolve: (entry) => entry.removed_at,
    }),
    error: t.field({
      type: UserError,
      description:
        'Why the entry failed, with its path in the mutation’s input. Null unless the status is FAILED.',
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
