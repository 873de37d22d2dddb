import { encodeGlobalID } from '@pothos/plugin-relay';
import type { Health, SourceCheck } from '../../clients/health.ts';
import { builder } from './builder.ts';
import { idField } from './relay-options.ts';

/** A source that takes longer is DOWN, so that a health page does not hang. */
const checkMs = 5_000;

const SourceKindEnum = builder.enumType('SourceKind', {
  description: 'The kind of a source.',
  values: {
    COMMERCE: { description: 'The issuance service.' },
    SUBGRAPH: { description: 'The subgraph, which indexes the chain.' },
    IPFS: { description: 'The IPFS gateways.' },
    STORE: { description: 'The gateway’s own database.' },
  } as const,
});

const SourceHealthEnum = builder.enumType('SourceHealth', {
  description: 'The health of a source.',
  values: {
    OK: { description: 'The source answers as expected.' },
    DEGRADED: { description: 'The source answers, but something is wrong. message says what.' },
    DOWN: { description: 'The source does not answer.' },
  } as const,
});

const Source = builder
  .objectRef<Health & Pick<SourceCheck, 'kind' | 'name'> & { checkedAt: Date }>('Source')
  .implement({
    description: 'A system that the gateway depends on, with its health as of this query.',
    fields: (t) => ({
      id: t.id({
        ...idField('source'),
        resolve: ({ kind, name }) => encodeGlobalID('Source', `${kind}/${name}`),
      }),
      kind: t.field({
        type: SourceKindEnum,
        nullable: false,
        description: 'The kind of this source.',
        resolve: ({ kind }) => kind,
      }),
      name: t.exposeString('name', {
        nullable: false,
        description:
          'The host of the source, the first one if several are configured. For the database, its kind.',
      }),
      health: t.field({
        type: SourceHealthEnum,
        nullable: false,
        description: 'The health of this source.',
        resolve: ({ health }) => health,
      }),
      checkedAt: t.field({
        type: 'DateTime',
        description: 'When the gateway checked the source, by its own clock. Every query checks again.',
        resolve: ({ checkedAt }) => checkedAt,
      }),
      block: t.field({
        type: 'BigInt',
        description: 'The newest block that the subgraph has indexed. Null for other sources.',
        resolve: ({ block }) => block,
      }),
      lagSeconds: t.exposeFloat('lagSeconds', {
        description:
          'The age of the newest block that the subgraph has indexed, in seconds. It also grows while an idle chain has no new blocks. Null for other sources, and when the subgraph does not report block times.',
      }),
      hasIndexingErrors: t.exposeBoolean('hasIndexingErrors', {
        description:
          'Whether the subgraph reports indexing errors, so that its data may be incomplete. Null for other sources.',
      }),
      message: t.exposeString('message', {
        description:
          'What is wrong with the source, such as a host that does not answer. Null when there is nothing to report.',
      }),
    }),
  });

builder.queryField('sources', (t) =>
  t.field({
    type: [Source],
    nullable: { list: false, items: false },
    description:
      'Checks the health of all systems that the gateway depends on. One that does not answer within 5 seconds is DOWN.',
    resolve: (_root, _args, { services, signal, loaders }) => {
      // Health changes without a new block, so this answer must not be cached.
      loaders.mayChangeWithoutNewBlock = true;
      return Promise.all(
        services.sources.map(async ({ kind, name, check }) => {
          const limit = AbortSignal.any([signal, AbortSignal.timeout(checkMs)]);
          const health = await check(limit).catch(
            (): Health => ({ health: 'DOWN', message: 'It does not answer.' }),
          );
          return { ...health, kind, name, checkedAt: new Date() };
        }),
      );
    },
  }),
);
