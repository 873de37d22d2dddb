import type { Health } from '../../clients/health.ts';
import { builder } from '../builder.ts';
import type { SourceCheck } from '../source-checks.ts';

/** A source that has not answered by then is shown as down; a page of health must not hang. */
const checkMs = 5_000;

const SourceKindEnum = builder.enumType('SourceKind', {
  description: 'What a source is.',
  values: {
    COMMERCE: { description: 'The issuance service.' },
    SUBGRAPH: { description: 'The index of the chain.' },
    IPFS: { description: 'An IPFS gateway.' },
    STORE: { description: 'The gateway’s own database.' },
  } as const,
});

const SourceHealthEnum = builder.enumType('SourceHealth', {
  description: 'How a source fares.',
  values: {
    OK: { description: 'It answers as it should.' },
    DEGRADED: { description: 'It answers, but not all is right; message says what.' },
    DOWN: { description: 'It does not answer.' },
  } as const,
});

const Source = builder
  .objectRef<Health & Pick<SourceCheck, 'kind' | 'name'> & { checkedAt: Date }>('Source')
  .implement({
    description: 'Something that stands behind the gateway, asked for its health just now.',
    fields: (t) => ({
      kind: t.field({
        type: SourceKindEnum,
        nullable: false,
        description: 'What it is.',
        resolve: ({ kind }) => kind,
      }),
      name: t.exposeString('name', { nullable: false, description: 'Which one.' }),
      health: t.field({
        type: SourceHealthEnum,
        nullable: false,
        description: 'How it fares.',
        resolve: ({ health }) => health,
      }),
      checkedAt: t.field({
        type: 'DateTime',
        description: 'When it was asked.',
        resolve: ({ checkedAt }) => checkedAt,
      }),
      block: t.field({
        type: 'BigInt',
        description: 'The newest block that the index has.',
        resolve: ({ block }) => block,
      }),
      lagSeconds: t.exposeFloat('lagSeconds', {
        description: 'Age of that block; a quiet chain has old blocks too.',
      }),
      hasIndexingErrors: t.exposeBoolean('hasIndexingErrors', {
        description: 'Whether the index says it met errors.',
      }),
      message: t.exposeString('message', { description: 'Why it is not OK.' }),
    }),
  });

builder.queryField('sources', (t) =>
  t.field({
    type: [Source],
    nullable: { list: false, items: false },
    description: 'The health of what stands behind the gateway, each asked now.',
    resolve: (_root, _args, { sources, signal }) =>
      Promise.all(
        sources.map(async ({ kind, name, check }) => {
          const limit = AbortSignal.any([signal, AbortSignal.timeout(checkMs)]);
          const health = await check(limit).catch(
            (): Health => ({ health: 'DOWN', message: 'It does not answer.' }),
          );
          return { ...health, kind, name, checkedAt: new Date() };
        }),
      ),
  }),
);
