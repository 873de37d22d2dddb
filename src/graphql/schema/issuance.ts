import type { IssuanceRow } from '../../issuance/flow.ts';
import type { Progress } from '../../issuance/read.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { EntryStatusEnum, IssuanceEntry, IssuanceEntryConnection } from './issuance-entry.ts';
import { fileCursor, fileOfCursor, IssuanceFile, IssuanceFileConnection } from './issuance-file.ts';
import {
  decodePosition,
  encodePosition,
  foreignCursor,
  forwardConnection,
  forwardOnly,
  forwardSize,
} from './page.ts';
import { IssuanceRef } from './refs.ts';
import { UploadStatusEnum } from './upload.ts';
import { UserError } from './user-error.ts';

export const IssuanceStatusEnum = builder.enumType('IssuanceStatus', {
  description: 'The status of an issuance. COMPLETED, REJECTED and CANCELLED are final.',
  values: {
    WAITING_FOR_FILES: {
      description:
        'The gateway waits until every file has its hash and CID. The issuance can still be cancelled.',
    },
    SUBMITTING: { description: 'The gateway is sending the issuance to the issuance service.' },
    OUTCOME_UNKNOWN: {
      description:
        'The issuance was sent but its answer was lost. The gateway is finding out whether it was accepted.',
    },
    WAITING_FOR_MINING: {
      description: 'The issuance service has accepted it. The outcome of each record depends on the chain.',
    },
    COMPLETED: { description: 'Every record has its outcome: issued or failed.' },
    REJECTED: {
      description:
        'The issuance was refused, or ended before it was sent, and nothing was issued; the errors say why. It becomes COMPLETED if the subgraph shows one of its records after all.',
    },
    CANCELLED: { description: 'The issuer cancelled the issuance before it was sent.' },
  } as const,
});

const IssuanceProgress = builder.objectRef<Progress>('IssuanceProgress').implement({
  description: 'Counts of an issuance’s records and files, for a progress bar.',
  fields: (t) => ({
    total: t.exposeInt('total', { nullable: false, description: 'The number of records in the issuance.' }),
    filesTotal: t.exposeInt('filesTotal', {
      nullable: false,
      description: 'The number of uploaded files that the issuance waits for.',
    }),
    filesReady: t.exposeInt('filesReady', {
      nullable: false,
      description: 'The number of the filesTotal files that have their hash and CID.',
    }),
    accepted: t.exposeInt('accepted', {
      nullable: false,
      description:
        'The number of records that the issuance service accepted, whatever their outcome. It never falls.',
    }),
    issued: t.exposeInt('issued', {
      nullable: false,
      description: 'The number of records that were minted.',
    }),
    failed: t.exposeInt('failed', {
      nullable: false,
      description: 'The number of records that were refused or not mined.',
    }),
  }),
});

const IssuanceHistoryEntry = builder
  .objectRef<{ status: IssuanceRow['status']; reason: string; at: Date }>('IssuanceHistoryEntry')
  .implement({
    description: 'One step in the history of an issuance.',
    fields: (t) => ({
      status: t.field({
        type: IssuanceStatusEnum,
        nullable: false,
        description: 'The status of the issuance after the step.',
        resolve: (step) => step.status,
      }),
      reason: t.exposeString('reason', {
        nullable: false,
        description: 'The reason of the step, as text for people.',
      }),
      at: t.field({
        type: 'DateTime',
        nullable: false,
        description: 'When the step was recorded.',
        resolve: (step) => step.at,
      }),
    }),
  });

/**
 * The caller's issuance with this id. Checks the id first: comparing a uuid column with other text is an
 * error.
 */
export async function issuanceById(id: string, context: Context): Promise<IssuanceRow | null> {
  return isUuid(id) ? context.loaders.issuances.byId.load(id) : null;
}

function entryIndex(cursor: string): number {
  const [index] = decodePosition('entry', cursor);
  if (Number.isInteger(index) && Number(index) >= 0 && Number(index) < 2 ** 31) return Number(index);
  throw foreignCursor();
}

export const Issuance = builder.node(IssuanceRef, {
  id: { description: 'The global id of this issuance. It never changes.', resolve: (row) => row.id },
  authScopes: { read: true, issue: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'fingerprint' in value,
  description:
    'One issueSRRs call, from the gateway’s database. The gateway works on it until every record has its outcome.',
  loadOne: (id, context) => issuanceById(id, context),
  fields: (t) => ({
    requestId: t.exposeString('request_id', {
      nullable: false,
      description:
        'The idempotency key of the call, stored for ever. The gateway makes one when the caller gives none.',
    }),
    issuer: t.field({
      type: 'Address',
      nullable: false,
      description: 'The wallet address of the issuer who made the call.',
      resolve: (row) => row.issuer,
    }),
    status: t.field({
      type: IssuanceStatusEnum,
      nullable: false,
      description: 'The status of this issuance.',
      resolve: (row) => row.status,
    }),
    progress: t.field({
      type: IssuanceProgress,
      nullable: false,
      description: 'Counts of the records and files, and how far they are.',
      resolve: (row, _args, context) => context.loaders.issuances.progress.load(row.id),
    }),
    entries: t.connection(
      {
        type: IssuanceEntry,
        nullable: false,
        description: `The entries of this issuance, one for each record, in the order of the input. ${forwardOnly}`,
        args: {
          status: t.arg({ type: EntryStatusEnum, description: 'Lists only entries with this status.' }),
        },
        resolve: async (row, { status, ...list }, context) => {
          const { after } = list;
          const afterIndex = after == null ? -1 : entryIndex(after);
          const page = { first: forwardSize(list), afterIndex };
          const found = await context.services.issuances.reads.entries(row, page, status ?? undefined);
          return forwardConnection(found, after, (entry) => encodePosition('entry', entry.index));
        },
      },
      IssuanceEntryConnection,
    ),
    files: t.connection(
      {
        type: IssuanceFile,
        nullable: false,
        description: `The uploaded files that the issuance waits for, by category and filename, as the gateway last saw them. Empty from KEEP_DETAILS_DAYS after its end (default: 90 days). ${forwardOnly}`,
        args: {
          status: t.arg({
            type: UploadStatusEnum,
            description:
              'Lists only files with this status. CALCULATING shows the files whose hash or CID is still missing.',
          }),
        },
        resolve: async (row, { status, ...list }, context) => {
          const { after } = list;
          const page = { first: forwardSize(list), after: after == null ? undefined : fileOfCursor(after) };
          const found = await context.services.issuances.reads.files(row, page, status ?? undefined);
          return forwardConnection(found, after, fileCursor);
        },
      },
      IssuanceFileConnection,
    ),
    history: t.field({
      type: [IssuanceHistoryEntry],
      nullable: { list: false, items: false },
      description: 'The steps of the issuance with their times and reasons, oldest first.',
      resolve: (row, _args, context) => context.services.issuances.reads.history(row),
    }),
    error: t.field({
      type: UserError,
      description:
        'Why the issuance was rejected as a whole; each entry that was sent has its own error. Null unless the status is REJECTED.',
      resolve: (row) => row.error,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When issueSRRs was called.',
      resolve: (row) => row.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When anything about the issuance last changed.',
      resolve: (row) => row.updated_at,
    }),
    completedAt: t.field({
      type: 'DateTime',
      description: 'When the issuance reached its final status. Null until then.',
      resolve: (row) => row.completed_at,
    }),
  }),
});
