import { AsyncLocalStorage } from 'node:async_hooks';
import { sleep } from '@srr-gateway/common/time';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../http/service-error.ts';
import type { FaultOf } from './fault-schema.ts';
import type { Faults } from './faults.ts';
import { magicOf } from './magic-values.ts';
import { UsedOnce } from './used-once.ts';

type ResponseFault = Pick<FaultOf<'response'>, 'effect' | 'delayMs'>;
type When = FaultOf<'response'>['when'];

/** The delay in ms before the work of the current request is confirmed. */
const publishingDelay = new AsyncLocalStorage<number>();

/** Injects faults into responses of the commerce API, before or after the work is done. */
export class ResponseFaults {
  readonly #faults: Faults;
  readonly #magic = new UsedOnce();

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** Adds the faults to the routes that are registered in `scope` and below. */
  attachTo(scope: FastifyInstance): void {
    // After authentication and before the checks of the body, so that a fault hits invalid bodies too.
    scope.addHook('preValidation', async (request, reply) => {
      const fault = this.#consume(request, 'before');
      if (fault === undefined) return;
      if (fault.effect === '502') throw new ServiceError(502, 'Bad Gateway');
      if (fault.effect === 'late') return sleep(fault.delayMs);
      reply.hijack();
      request.raw.socket.destroy();
    });
    scope.addHook('preHandler', (request, _reply, done) => {
      publishingDelay.run(this.#delayOf(request), done);
    });
    scope.addHook('onSend', async (request, reply, payload) => {
      const done = reply.statusCode < 300 ? this.#consume(request, 'after') : undefined;
      if (done === undefined) return payload;
      if (done.effect === 'late') await sleepUntilClosed(request, done.delayMs);
      if (done.effect === 'drop') request.raw.socket.destroy();
      if (done.effect !== '502') return payload;
      reply.code(502);
      return JSON.stringify({ statusCode: 502, message: 'Bad Gateway' });
    });
  }

  /** Waits out a `publishing` fault. Call it when the records are reserved and not yet confirmed. */
  async delayPublication(): Promise<void> {
    const delayMs = publishingDelay.getStore() ?? 0;
    if (delayMs > 0) await sleep(delayMs);
  }

  #consume(request: FastifyRequest, when: When): ResponseFault | undefined {
    const ids = externalIdsOf(request.body);
    const route = request.routeOptions.url?.split('/').at(-1);
    for (const id of ids) {
      const { response } = magicOf(id);
      if (response?.when === when && this.#magic.first(`${when} ${id}`)) return response;
    }
    return this.#faults.consume(
      'response',
      (fault) => fault.route === route && fault.when === when && concerns(fault, ids),
    );
  }

  #delayOf(request: FastifyRequest): number {
    const ids = externalIdsOf(request.body);
    for (const id of ids) {
      const { publishing } = magicOf(id);
      if (publishing && this.#magic.first(`publishing ${id}`)) return publishing.delayMs;
    }
    if (ids.length === 0) return 0;
    return this.#faults.consume('publishing', (fault) => concerns(fault, ids))?.delayMs ?? 0;
  }
}

function concerns(fault: { externalId?: string | undefined }, ids: readonly string[]): boolean {
  return fault.externalId === undefined || ids.includes(fault.externalId);
}

/** The externalIds of an issue request. The body may be anything: it may not have been validated yet. */
export function externalIdsOf(body: unknown): string[] {
  const payload = (body as { payload?: unknown } | null | undefined)?.payload;
  if (!Array.isArray(payload)) return [];
  return payload.flatMap((entry) => {
    const id = (entry as { externalId?: unknown } | null | undefined)?.externalId;
    return typeof id === 'string' ? [id] : [];
  });
}

/** Waits `ms`, or until the client hangs up. */
export async function sleepUntilClosed({ raw }: FastifyRequest, ms: number): Promise<void> {
  const gone = new AbortController();
  raw.socket.once('close', () => gone.abort());
  await sleep(ms, gone.signal).catch(() => {});
}
