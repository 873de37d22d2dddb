import { AsyncLocalStorage } from 'node:async_hooks';
import { sleep } from '@srr-gateway/common/time';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../http/service-error.ts';
import type { FaultOf } from './fault-schema.ts';
import type { Faults } from './faults.ts';
import { magicOf } from './magic-values.ts';

type ResponseFault = Pick<FaultOf<'response'>, 'effect' | 'delayMs'>;
type When = FaultOf<'response'>['when'];

/** How long the work of the request that is being answered is held up before it is confirmed. */
const heldUp = new AsyncLocalStorage<number>();

/** Remembered magic values: far more than a test session has, and no leak. */
const remembered = 10_000;

/** Spoils answers of the commerce API, before or after the work is done. */
export class ResponseFaults {
  readonly #faults: Faults;
  /** Magic values strike once: a repetition of the request is what a client does next. */
  readonly #spent = new Set<string>();

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** To the routes that are registered in `scope` and below. */
  attachTo(scope: FastifyInstance): void {
    // Before any validation: what is wrong with the request itself is not looked at.
    scope.addHook('preValidation', async (request, reply) => {
      const fault = this.#strike(request, 'before');
      if (fault === undefined) return;
      if (fault.effect === '502') throw new ServiceError(502, 'Bad Gateway');
      if (fault.effect === 'late') return sleep(fault.delayMs);
      reply.hijack();
      request.raw.socket.destroy();
    });
    scope.addHook('preHandler', (request, _reply, done) => {
      heldUp.run(this.#delayOf(request), done);
    });
    scope.addHook('onSend', async (request, reply, payload) => {
      const done = reply.statusCode < 300 ? this.#strike(request, 'after') : undefined;
      if (done === undefined) return payload;
      if (done.effect === 'late') await unlessGone(request, done.delayMs);
      if (done.effect === 'drop') request.raw.socket.destroy();
      if (done.effect !== '502') return payload;
      reply.code(502);
      return JSON.stringify({ statusCode: 502, message: 'Bad Gateway' });
    });
  }

  /** To be called between the acceptance of a request and its confirmation. */
  async hold(): Promise<void> {
    const delayMs = heldUp.getStore() ?? 0;
    if (delayMs > 0) await sleep(delayMs);
  }

  #strike(request: FastifyRequest, when: When): ResponseFault | undefined {
    const ids = externalIdsOf(request.body);
    const route = request.routeOptions.url?.split('/').at(-1);
    for (const id of ids) {
      const { response } = magicOf(id);
      if (response?.when === when && this.#first(`${when} ${id}`)) return response;
    }
    return this.#faults.strike(
      'response',
      (fault) => fault.route === route && fault.when === when && concerns(fault, ids),
    );
  }

  #delayOf(request: FastifyRequest): number {
    const ids = externalIdsOf(request.body);
    for (const id of ids) {
      const { publishing } = magicOf(id);
      if (publishing && this.#first(`publishing ${id}`)) return publishing.delayMs;
    }
    if (ids.length === 0) return 0;
    return this.#faults.strike('publishing', (fault) => concerns(fault, ids))?.delayMs ?? 0;
  }

  #first(occasion: string): boolean {
    if (this.#spent.has(occasion)) return false;
    if (this.#spent.size >= remembered) this.#spent.clear();
    this.#spent.add(occasion);
    return true;
  }
}

function concerns(fault: { externalId?: string | undefined }, ids: readonly string[]): boolean {
  return fault.externalId === undefined || ids.includes(fault.externalId);
}

/** Of the entries of an issue request, before any validation: the body may be anything. */
export function externalIdsOf(body: unknown): string[] {
  const payload = (body as { payload?: unknown } | null | undefined)?.payload;
  if (!Array.isArray(payload)) return [];
  return payload.flatMap((entry) => {
    const id = (entry as { externalId?: unknown } | null | undefined)?.externalId;
    return typeof id === 'string' ? [id] : [];
  });
}

/** A client that hung up need not be waited for. */
async function unlessGone({ raw }: FastifyRequest, ms: number): Promise<void> {
  const gone = new AbortController();
  raw.socket.once('close', () => gone.abort());
  await sleep(ms, gone.signal).catch(() => {});
}
