import type { EntryRow, IssuanceRow } from '../../issuance/flow.ts';
import type { Progress } from '../../issuance/read.ts';
import { builder } from '../builder.ts';
import { type Context, issuerOf } from '../context.ts';
import { decodePosition, encodePosition, forwardConnection, forwardSize } from '../page.ts';
import { recordOfEntry } from '../record-source.ts';
import { SRR } from './refs.ts';
import { UserError } from './user-error.ts';

export const IssuanceStatusEnum = builder.enumType('IssuanceStatus', {
  description: 'Where an issuance stands. COMPLETED, REJECTED and CANCELLED are final.',
  values: {
    WAITING_FOR_FILES: { description: 'Until every file has its hash and cid. Can still be cancelled.' },
    SUBMITTING: { description: 'Being sent to the service.' },
    OUTCOME_UNKNOWN: {
      description: 'Sent, and the answer was lost; the gateway is finding out what became of it.',
    },
    WAITING_FOR_MINING: { description: 'Accepted; the outcome of each record comes from the chain.' },
    COMPLETED: { description: 'Every record has its outcome: issued or failed.' },
    REJECTED: { description: 'Refused; nothing was issued. The errors say why.' },
    CANCELLED: { description: 'Cancelled by its issuer before it was sent.' },
  } as const,
});

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

const IssuanceProgress = builder.objectRef<Progress>('IssuanceProgress').implement({
  description: 'Counts to draw a progress bar with.',
  fields: (t) => ({
    total: t.exposeInt('total', { nullable: false, description: 'Records asked for.' }),
    filesTotal: t.exposeInt('filesTotal', { nullable: false, description: 'Uploaded files that it names.' }),
    filesReady: t.exposeInt('filesReady', { nullable: false, description: 'Of these, with hash and cid.' }),
    accepted: t.exposeInt('accepted', { nullable: false, description: 'Records accepted by the service.' }),
    issued: t.exposeInt('issued', { nullable: false, description: 'Records minted.' }),
    failed: t.exposeInt('failed', { nullable: false, description: 'Records refused or not mined.' }),
  }),
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
    error: t.field({
      type: UserError,
      description: 'Why it failed, with the path into the mutation’s input.',
      resolve: (entry) => entry.error,
    }),
  }),
});

const IssuanceHistoryEntry = builder
  .objectRef<{ status: IssuanceRow['status']; reason: string; at: Date }>('IssuanceHistoryEntry')
  .implement({
    description: 'One step in the life of an issuance.',
    fields: (t) => ({
      status: t.field({
        type: IssuanceStatusEnum,
        nullable: false,
        description: 'Where it went.',
        resolve: (step) => step.status,
      }),
      reason: t.exposeString('reason', { nullable: false, description: 'Why.' }),
      at: t.field({ type: 'DateTime', nullable: false, description: 'When.', resolve: (step) => step.at }),
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

/** Null for what is no issuance of the caller; the store would refuse to compare a text that is no UUID. */
async function issuanceById(id: string, context: Context): Promise<IssuanceRow | null> {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
    ? context.fresh.issuances.byId.load(id)
    : null;
}

const IssuanceRef = builder.objectRef<IssuanceRow>('Issuance');
export const Issuance = builder.node(IssuanceRef, {
  id: { description: 'Of this issuance, for ever.', resolve: (row) => row.id },
  authScopes: { read: true, issue: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'fingerprint' in value,
  description: 'One issueSRRs call, carried on by the gateway until every record has its outcome.',
  loadOne: (id, context) => issuanceById(id, context),
  fields: (t) => ({
    requestId: t.exposeString('request_id', {
      nullable: false,
      description: 'The idempotency key, kept for ever.',
    }),
    issuer: t.field({
      type: 'Address',
      nullable: false,
      description: 'Whose it is.',
      resolve: (row) => row.issuer,
    }),
    status: t.field({
      type: IssuanceStatusEnum,
      nullable: false,
      description: 'Where it stands.',
      resolve: (row) => row.status,
    }),
    progress: t.field({
      type: IssuanceProgress,
      nullable: false,
      description: 'How much of it is done.',
      resolve: (row, _args, context) => context.fresh.issuances.progress.load(row.id),
    }),
    entries: t.connection(
      {
        type: IssuanceEntry,
        nullable: false,
        description: 'Its records, in the order of the input.',
        args: { status: t.arg({ type: EntryStatusEnum, description: 'Only records that stand here.' }) },
        resolve: async (row, { status, ...list }, context) => {
          const { after } = list;
          const afterIndex = after == null ? -1 : Number(decodePosition('entry', after)[0]);
          const page = { first: forwardSize(list), afterIndex };
          const found = await context.issuances.reads.entries(row.id, page, status ?? undefined);
          return forwardConnection(found, after, (entry) => encodePosition('entry', entry.index));
        },
      },
      IssuanceEntryConnection,
    ),
    history: t.field({
      type: [IssuanceHistoryEntry],
      nullable: { list: false, items: false },
      description: 'What happened to it, when and why; oldest first.',
      resolve: (row, _args, context) => context.issuances.reads.history(row.id),
    }),
    error: t.field({
      type: UserError,
      description: 'Why it was rejected as a whole; the entries have their own.',
      resolve: (row) => row.error,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was asked for.',
      resolve: (row) => row.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When anything of it last changed.',
      resolve: (row) => row.updated_at,
    }),
    completedAt: t.field({
      type: 'DateTime',
      description: 'When it reached its final status.',
      resolve: (row) => row.completed_at,
    }),
  }),
});

const IssuanceEdge = builder.edgeObject({ type: Issuance, name: 'IssuanceEdge' });
const IssuanceConnection = builder.connectionObject(
  { type: Issuance, name: 'IssuanceConnection' },
  IssuanceEdge,
);

const IssuanceFilter = builder.inputType('IssuanceFilter', {
  description: 'Which issuances; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: [IssuanceStatusEnum], description: 'Standing at one of these.' }),
    externalId: t.string({ description: 'With a record of this reference.' }),
  }),
});

builder.queryFields((t) => ({
  issuance: t.field({
    type: Issuance,
    authScopes: { read: true },
    description: 'One issuance of the issuer, by its id or its requestId. Scope: read.',
    args: {
      id: t.arg.globalID({ for: Issuance, description: 'Its id.' }),
      requestId: t.arg.string({ description: 'Or the idempotency key it was asked for with.' }),
    },
    resolve: async (_root, { id, requestId }, context) => {
      const { issuer } = issuerOf(context);
      if (id) return issuanceById(id.id, context);
      if (requestId != null) return (await context.issuances.reads.byRequestId(issuer, requestId)) ?? null;
      return null;
    },
  }),
  issuances: t.connection(
    {
      type: Issuance,
      nullable: false,
      authScopes: { read: true },
      description: 'The issuer’s issuances, newest first. Scope: read.',
      args: { where: t.arg({ type: IssuanceFilter, description: 'Which.' }) },
      resolve: async (_root, { where, ...list }, context) => {
        const { after } = list;
        const { issuer } = issuerOf(context);
        const [createdAt, id] = after == null ? [] : decodePosition('issuance', after);
        const page = await context.issuances.reads.list(
          issuer,
          {
            first: forwardSize(list),
            after:
              id === undefined ? undefined : { createdAt: new Date(createdAt as string), id: String(id) },
          },
          { status: where?.status ?? undefined, externalId: where?.externalId ?? undefined },
        );
        return forwardConnection(page, after, (row) =>
          encodePosition('issuance', row.created_at.toISOString(), row.id),
        );
      },
    },
    IssuanceConnection,
  ),
}));

builder.subscriptionField('issuance', (t) =>
  t.field({
    type: Issuance,
    nullable: false,
    authScopes: { read: true },
    description:
      'The issuance as it is now, then after each change; completes when it is final. Scope: read.',
    args: { id: t.arg.globalID({ for: Issuance, required: true, description: 'Its id.' }) },
    subscribe: (_root, { id }, context) =>
      context.issuances.changes(issuerOf(context).issuer, id.id, context.signal),
    resolve: (row) => row as IssuanceRow,
  }),
);
