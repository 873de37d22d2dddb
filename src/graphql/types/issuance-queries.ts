import type { IssuanceRow } from '../../issuance/flow.ts';
import { GatewayError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/uuid.ts';
import { builder } from '../builder.ts';
import { comparable } from '../comparable.ts';
import { issuerOf } from '../context.ts';
import { decodePosition, encodePosition, foreignCursor, forwardConnection, forwardSize } from '../page.ts';
import { Issuance, IssuanceStatusEnum, issuanceById } from './issuance.ts';

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

/** @throws GatewayError when the cursor was not made by this list. */
function placeOf(cursor: string): { createdAt: Date; id: string } {
  const [time, id] = decodePosition('issuance', cursor);
  const createdAt = new Date(typeof time === 'string' ? time : Number.NaN);
  // The store's calendar ends before JavaScript's.
  const year = createdAt.getUTCFullYear();
  if (typeof id === 'string' && isUuid(id) && year >= 1970 && year < 10_000) return { createdAt, id };
  throw foreignCursor();
}

builder.queryFields((t) => ({
  issuance: t.field({
    type: Issuance,
    authScopes: { read: true },
    description: 'One issuance of the issuer, by its id or its requestId. Scope: read.',
    args: {
      id: t.arg.globalID({ for: Issuance, description: 'Its id.' }),
      requestId: t.arg.string({ description: 'Or the idempotency key it was asked for with.' }),
    },
    resolve: async (_root, { id, requestId: key }, context) => {
      const { issuer } = issuerOf(context);
      const requestId = comparable(key, ['requestId']);
      if (id && requestId === undefined) return issuanceById(id.id, context);
      if (requestId !== undefined && !id)
        return (await context.issuances.reads.byRequestId(issuer, requestId)) ?? null;
      throw new GatewayError({ code: 'INVALID_INPUT', message: 'Give either id or requestId.' });
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
        const page = await context.issuances.reads.list(
          issuer,
          {
            first: forwardSize(list),
            after: after == null ? undefined : placeOf(after),
          },
          {
            status: where?.status ?? undefined,
            externalId: comparable(where?.externalId, ['where', 'externalId']),
          },
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
      'The issuance as it is now, then after each change; completes when it is final, which may be before the index has its records (miningOutcomes waits for that). Scope: read.',
    args: { id: t.arg.globalID({ for: Issuance, required: true, description: 'Its id.' }) },
    subscribe: (_root, { id }, context) =>
      context.issuances.changes(issuerOf(context).issuer, id.id, context.signal),
    resolve: (row) => row as IssuanceRow,
  }),
);
