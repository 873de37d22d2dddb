import type { CollectionCreationRow } from '../../issuance/collection-creation.ts';
import type { Fault } from '../../lib/errors.ts';
import { builder } from '../builder.ts';
import { issuerOf } from '../context.ts';
import { orUserErrors } from '../user-errors.ts';
import { Collection, collectionByAddress } from './collection.ts';
import { EntryStatusEnum } from './issuance-entry.ts';
import { UserError } from './user-error.ts';

const CreateCollectionInput = builder.inputType('CreateCollectionInput', {
  description: 'Input of createCollection.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Stored on the contract.' }),
    symbol: t.string({ required: true, description: 'ERC-721 symbol.' }),
    salt: t.string({
      description:
        '0x and 64 hex digits; random when absent. It decides the address and works once, so sending it again makes no second collection.',
    }),
  }),
});

const CollectionCreation = builder.objectRef<CollectionCreationRow>('CollectionCreation');

const CreateCollectionPayload = builder
  .objectRef<{ collection: CollectionCreationRow | null; userErrors: readonly Fault[] }>(
    'CreateCollectionPayload',
  )
  .implement({
    description: 'Result of createCollection.',
    fields: (t) => ({
      collection: t.field({
        type: CollectionCreation,
        description: 'What was asked for; absent when there are userErrors.',
        resolve: ({ collection }) => collection,
      }),
      userErrors: t.field({
        type: [UserError],
        nullable: { list: false, items: false },
        description: 'Why nothing was created.',
        resolve: ({ userErrors }) => [...userErrors],
      }),
    }),
  });

CollectionCreation.implement({
  description: 'A collection contract that was asked for.',
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'Known before it is deployed; records can name it once it is.',
      resolve: (row) => row.address,
    }),
    name: t.exposeString('name', { nullable: false, description: 'As asked for.' }),
    symbol: t.exposeString('symbol', { nullable: false, description: 'As asked for.' }),
    status: t.field({
      type: EntryStatusEnum,
      nullable: false,
      description: 'ISSUED once deployed; FAILED when it could not be.',
      resolve: (row) => row.status,
    }),
    error: t.field({ type: UserError, description: 'Why it failed.', resolve: (row) => row.error }),
    collection: t.field({
      type: Collection,
      description: 'The contract, once the index has it.',
      resolve: (row, _args, context) => collectionByAddress(row.address, context),
    }),
  }),
});

builder.mutationField('createCollection', (t) =>
  t.field({
    type: CreateCollectionPayload,
    nullable: false,
    authScopes: { issue: true },
    description:
      'Deploys a collection contract that the issuer owns. Its address is known at once, its outcome comes as an event. Scope: issue.',
    args: { input: t.arg({ type: CreateCollectionInput, required: true, description: 'The collection.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ collection: CollectionCreationRow | null }, { collection: null }>(
        async () => ({
          collection: await context.issuances.createCollection(
            issuerOf(context).credentials,
            { name: input.name, symbol: input.symbol, salt: input.salt ?? undefined },
            context.signal,
          ),
        }),
        { collection: null },
      ),
  }),
);
