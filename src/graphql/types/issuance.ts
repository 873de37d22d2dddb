import type { IssuanceRow } from '../../issuance/flow.ts';
import type { Progress } from '../../issuance/read.ts';
import { isUuid } from '../../model/uuid.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { decodePosition, encodePosition, foreignCursor, forwardConnection, forwardSize } from '../page.ts';
import { EntryStatusEnum, IssuanceEntry, IssuanceEntryConnection } from './issuance-entry.ts';
import { fileCursor, fileOfCursor, IssuanceFile, IssuanceFileConnection } from './issuance-file.ts';
import { IssuanceRef } from './refs.ts';
import { UploadStatusEnum } from './upload.ts';
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
    REJECTED: {
      description:
        'Refused; nothing was issued, and the errors say why. It becomes COMPLETED if the index shows a record all the same.',
    },
    CANCELLED: { description: 'Cancelled by its issuer before it was sent.' },
  } as const,
});

const IssuanceProgress = builder.objectRef<Progress>('IssuanceProgress').implement({
  description: 'Counts to draw a progress bar with.',
  fields: (t) => ({
    total: t.exposeInt('total', { nullable: false, description: 'Records asked for.' }),
    filesTotal: t.exposeInt('filesTotal', { nullable: false, description: 'Uploaded files that it names.' }),
    filesReady: t.exposeInt('filesReady', { nullable: false, description: 'Of these, with hash and cid.' }),
    accepted: t.exposeInt('accepted', {
      nullable: false,
      description: 'Records that the service accepted, whatever became of them. It never falls.',
    }),
    issued: t.exposeInt('issued', { nullable: false, description: 'Records minted.' }),
    failed: t.exposeInt('failed', { nullable: false, description: 'Records refused or not mined.' }),
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
      reason: t.exposeString('reason', { nullable: false, description: 'What led to the step, for people.' }),
      at: t.field({
        type: 'DateTime',
        nullable: false,
        description: 'When the step was recorded.',
        resolve: (step) => step.at,
      }),
    }),
  });

/** Null for what is no issuance of the caller; the store would refuse to compare a text that is no UUID. */
export async function issuanceById(id: string, context: Context): Promise<IssuanceRow | null> {
  return isUuid(id) ? context.fresh.issuances.byId.load(id) : null;
}

function entryIndex(cursor: string): number {
  const [index] = decodePosition('entry', cursor);
  if (Number.isInteger(index) && Number(index) >= 0 && Number(index) < 2 ** 31) return Number(index);
  throw foreignCursor();
}

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
          const afterIndex = after == null ? -1 : entryIndex(after);
          const page = { first: forwardSize(list), afterIndex };
          const found = await context.issuances.reads.entries(row, page, status ?? undefined);
          return forwardConnection(found, after, (entry) => encodePosition('entry', entry.index));
        },
      },
      IssuanceEntryConnection,
    ),
    files: t.connection(
      {
        type: IssuanceFile,
        nullable: false,
        description:
          'Every uploaded file that it names and waits for, by category and name, as the gateway last saw it: status CALCULATING shows which ones it still waits for. Empty once its details are dropped, 90 days after its end unless configured otherwise (KEEP_DETAILS_DAYS).',
        args: { status: t.arg({ type: UploadStatusEnum, description: 'Only files with this status.' }) },
        resolve: async (row, { status, ...list }, context) => {
          const { after } = list;
          const page = { first: forwardSize(list), after: after == null ? undefined : fileOfCursor(after) };
          const found = await context.issuances.reads.files(row, page, status ?? undefined);
          return forwardConnection(found, after, fileCursor);
        },
      },
      IssuanceFileConnection,
    ),
    history: t.field({
      type: [IssuanceHistoryEntry],
      nullable: { list: false, items: false },
      description: 'What happened to it, when and why; oldest first.',
      resolve: (row, _args, context) => context.issuances.reads.history(row),
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
