import { requireIssuer } from '../../access/caller.ts';
import type { IssuanceRow } from '../../issuance/flow.ts';
import { GatewayError } from '../../model/errors.ts';
import { builder } from './builder.ts';
import { databaseText } from './database-text.ts';
import { Issuance, IssuanceStatusEnum, issuanceById } from './issuance.ts';
import { IssuanceEntry } from './issuance-entry.ts';
import { forwardConnection, forwardOnly, forwardSize, rowCursors } from './page.ts';
import { idOf } from './relay-options.ts';

const IssuanceEdge = builder.edgeObject({ type: Issuance, name: 'IssuanceEdge' });
const IssuanceConnection = builder.connectionObject(
  { type: Issuance, name: 'IssuanceConnection' },
  IssuanceEdge,
);

const IssuanceFilter = builder.inputType('IssuanceFilter', {
  description: 'Conditions on issuances. An issuance must meet all that are given; null counts as not given.',
  fields: (t) => ({
    status: t.field({ type: [IssuanceStatusEnum], description: 'Issuances whose status is one of these.' }),
    externalId: t.string({ description: 'Issuances with an entry of this external id.' }),
  }),
});

const cursors = rowCursors('issuance');

builder.queryFields((t) => ({
  issuance: t.field({
    type: Issuance,
    authScopes: { read: true },
    description:
      'Fetches an issuance of the issuer, by exactly one of id and requestId. Null when there is none. Scope: read.',
    args: {
      id: t.arg.id({ description: 'The global id of the issuance.' }),
      requestId: t.arg.string({ description: 'The idempotency key that issueSRRs was called with.' }),
    },
    resolve: async (_root, { id, requestId: key }, context) => {
      const { issuer } = requireIssuer(context);
      const requestId = databaseText(key, ['requestId']);
      if (id != null && requestId === undefined) return issuanceById(idOf('Issuance', id, ['id']), context);
      if (requestId !== undefined && id == null)
        return (await context.services.issuances.reads.byRequestId(issuer, requestId)) ?? null;
      throw new GatewayError({ code: 'INVALID_INPUT', message: 'Give exactly one of id and requestId.' });
    },
  }),
  issuanceEntry: t.field({
    type: IssuanceEntry,
    authScopes: { read: true },
    description:
      'Fetches the issuer’s entry with an external id. Of several, returns the issued one, else one waiting for mining, else the newest. Null when there is none. Scope: read.',
    args: {
      externalId: t.arg.string({
        required: true,
        description: 'The external id that the entry was issued with.',
      }),
    },
    resolve: (_root, { externalId }, context) =>
      context.loaders.issuances.entryOfExternalId.load(databaseText(externalId, ['externalId']) ?? ''),
  }),
  issuances: t.connection(
    {
      type: Issuance,
      authScopes: { read: true },
      description: `The issuer’s issuances, newest first, from the gateway’s database. Null with an error when the caller may not read them. ${forwardOnly} Scope: read.`,
      args: {
        where: t.arg({
          type: IssuanceFilter,
          description: 'Lists only issuances that meet all of these conditions.',
        }),
      },
      resolve: async (_root, { where, ...list }, context) => {
        const { after } = list;
        const { issuer } = requireIssuer(context);
        const page = await context.services.issuances.reads.list(
          issuer,
          { first: forwardSize(list), after: cursors.read(after) },
          {
            status: where?.status ?? undefined,
            externalId: databaseText(where?.externalId, ['where', 'externalId']),
          },
        );
        return forwardConnection(page, after, cursors.of);
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
      'The issuance as it is now, then again after each change. It completes when the issuance is final and, by default, the subgraph has indexed its records. Scope: read.',
    args: {
      id: t.arg.id({ required: true, description: 'The global id of the issuance.' }),
      untilIndexed: t.arg.boolean({
        defaultValue: true,
        description:
          'Whether to wait, after the final status, until the subgraph has indexed every issued record (for INDEX_WAIT at most), and then to send the issuance once more, so that owner and royalty are there. When false, the subscription completes with the final status.',
      }),
    },
    subscribe: async (_root, { id, untilIndexed }, context) => {
      const { issuer } = requireIssuer(context);
      const rowId = idOf('Issuance', id, ['id']);
      // Without this error a wrong id would look like an issuance that is finished.
      if (!(await issuanceById(rowId, context)))
        throw new GatewayError({
          code: 'NOT_FOUND',
          message: 'This issuer has no issuance with this id. Send the id that issueSRRs returned.',
          path: ['id'],
        });
      return context.services.issuances.changes(issuer, rowId, context.signal, {
        untilIndexed: untilIndexed ?? true,
      });
    },
    resolve: (row) => row as IssuanceRow,
  }),
);
