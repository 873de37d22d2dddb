import type { Logger } from '@srr-gateway/common/log';
import type { CID } from 'multiformats/cid';
import type { Health } from '../health.ts';
import { createHttpClient } from '../http.ts';
import { createSsrfSafeHttpClient } from '../ssrf-safe-http.ts';
import { readFile } from './dag.ts';
import { IpfsFailure, mostSpecific } from './failure.ts';
import { createGateway, type Gateway } from './gateway.ts';

/** Settings of the gateways, in order of preference. */
export interface GatewaysOptions {
  /** Addresses before `/ipfs/<cid>`. */
  bases: readonly string[];
  log: Logger;
  /** Time-out of one read, over all gateways together, in milliseconds. */
  timeoutMs: number;
  /** How long a gateway may be silent before the next one is asked too, in milliseconds. */
  hedgeMs: number;
}

// A page of records asks for this many documents at once.
const connections = 64;

/** Makes the clients of the gateways. */
export function createGateways({ bases, log, timeoutMs, hedgeMs }: GatewaysOptions) {
  const http = createHttpClient({ connections });
  const ssrfSafeHttp = createSsrfSafeHttpClient({
    connections,
    configured: bases.map((base) => new URL(base)),
  });
  // With one gateway, a retry helps after a reset connection. With several, the next gateway is the better
  // second attempt.
  const retries = bases.length === 1 ? 1 : 0;
  const gateways = bases.map((base) => createGateway({ base, http, ssrfSafeHttp, log, retries }));

  /**
   * Hedged requests: asks the next gateway when one fails or has not answered for `hedgeMs`, while the others
   * go on. The first answer wins, and the others are aborted.
   * @throws IpfsFailure; or the signal's reason.
   */
  const read = async (cid: CID, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const losers = new AbortController();
    const failures: IpfsFailure[] = [];
    const waiting = gateways.values();
    let hedge: NodeJS.Timeout | undefined;
    const askNext = () => {
      clearTimeout(hedge);
      const { value: gateway } = waiting.next();
      if (!gateway) return;
      hedge = setTimeout(askNext, hedgeMs);
      readFile(gateway, cid, { maxBytes, signal: losers.signal }).then(resolve, (error: unknown) => {
        if (!(error instanceof IpfsFailure)) return reject(error);
        failures.push(error);
        if (failures.length === gateways.length) reject(mostSpecific(failures));
        else askNext();
      });
    };
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    const deadline = setTimeout(() => reject(new IpfsFailure('TIMEOUT')), timeoutMs);
    try {
      askNext();
      return await promise;
    } finally {
      clearTimeout(hedge);
      clearTimeout(deadline);
      signal.removeEventListener('abort', leave);
      losers.abort(new Error('another gateway was faster, or the read has ended'));
    }
  };

  return {
    read,
    check: (signal?: AbortSignal) => check(gateways, bases, signal),
    close: async () => {
      await Promise.all([http.close(), ssrfSafeHttp.close()]);
    },
  };
}

/** OK: the preferred gateway answers. DEGRADED: only another one does. DOWN: none does. */
async function check(
  gateways: readonly Gateway[],
  bases: readonly string[],
  signal?: AbortSignal,
): Promise<Health> {
  const answers = await Promise.all(gateways.map((gateway) => gateway.isHealthy(signal)));
  signal?.throwIfAborted();
  if (answers.every(Boolean)) return { health: 'OK' };
  const silent = bases.filter((_, i) => !answers[i]).map((base) => new URL(base).host);
  if (answers.some(Boolean))
    return {
      health: answers[0] ? 'OK' : 'DEGRADED',
      message: `${silent.join(', ')} does not deliver content as a trustless gateway should.`,
    };
  return { health: 'DOWN', message: `No gateway delivers content: ${silent.join(', ')}.` };
}

export type Gateways = ReturnType<typeof createGateways>;
