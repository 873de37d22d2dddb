import type { YogaInitialContext } from 'graphql-yoga';
import { expect, it } from 'vitest';
import { anonymous } from '../../access/caller.ts';
import { challenge } from '../../lib/http-error.ts';
import { GatewayError, unauthenticated } from '../../model/errors.ts';
import { contextFactory, type OperationSource, type ServerContext } from './context.ts';
import { CallerLeft } from './mask-error.ts';

const contextsFor = (caller: () => Promise<unknown>, catalog = {}) =>
  contextFactory({ services: {}, catalog, authenticator: { caller } } as never);
const contexts = contextsFor(async () => anonymous);

const initial = (request?: Partial<Request>, res?: OperationSource['res']) =>
  ({
    source: { headers: {}, credentials: { kind: 'nothing' }, res },
    request,
  }) as unknown as YogaInitialContext & ServerContext;

it('a request that was refused while its body arrived is not executed', async () => {
  await expect(contexts.create(initial(undefined, { headersSent: true }))).rejects.toThrow(CallerLeft);
});

it('an operation ends because its caller left, when its request is aborted or its subscription is', async () => {
  const leaving = new AbortController();
  const requested = await contexts.create(initial({ signal: leaving.signal }));
  leaving.abort();
  const subscribed = await contexts.create(initial());
  subscribed.end();
  for (const { signal } of [requested, subscribed]) expect(signal.reason).toBeInstanceOf(CallerLeft);
});

it('an event is executed with a signal and a time of its own', async () => {
  const context = { ...(await contexts.create(initial())), startedAt: new Date(0) };
  const { signal } = new AbortController();
  const renewed = contexts.renew(context, signal);
  expect(renewed.signal).toBe(signal);
  expect(renewed.startedAt.getTime()).toBeGreaterThan(0);
  expect(renewed.loaders).not.toBe(context.loaders);
});

it.each([
  ['VERIFIED', true],
  ['UNVERIFIED', false],
  ['PENDING', false],
  ['NOT_FOUND', false],
])('an answer with a document that is %s may be cached: %s', async (status, complete) => {
  const reads = { documents: { read: () => ({ status }) }, complete: true };
  const { loaders } = await contextsFor(async () => anonymous, { request: () => reads }).create(initial());
  await loaders.metadata('0x00');
  expect(loaders.complete).toBe(complete);
});

it.each([
  [
    'refused',
    unauthenticated('unknown token'),
    { code: 'UNAUTHENTICATED', http: { status: 401, headers: challenge } },
  ],
  [
    'not checked',
    new GatewayError({ code: 'UPSTREAM_UNAVAILABLE', message: 'away' }),
    { code: 'UPSTREAM_UNAVAILABLE' },
  ],
])(
  'credentials that are %s give a typed error, with 401 only if they are wrong',
  async (_what, fault, extensions) => {
    const refusing = contextsFor(() => Promise.reject(fault));
    await expect(refusing.create(initial())).rejects.toHaveProperty('extensions', extensions);
  },
);
