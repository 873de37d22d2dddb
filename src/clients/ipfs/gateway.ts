import type { Logger } from '@srr-gateway/common/log';
import type { CID } from 'multiformats/cid';
import { UpstreamError } from '../../model/errors.ts';
import { retryAfterMs } from '../failure.ts';
import { probeTimeoutMs } from '../health.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { createResilience, withCallSpan } from '../resilience.ts';
import { AddressRefused } from '../ssrf-safe-http.ts';
import { IpfsFailure } from './failure.ts';

/** One trustless gateway; the caller must verify the bytes. Throws IpfsFailure, or the signal's reason. */
export interface Gateway {
  /** The block of a CID, unverified. */
  block(cid: CID, limits: Limits): Promise<Uint8Array>;
  /** A CAR with the blocks of a file; undefined when the gateway serves none. */
  car(cid: CID, limits: Limits): Promise<Uint8Array | undefined>;
  /** Whether it delivers the empty content as a trustless gateway should. Tries it whatever the breaker says. */
  isHealthy(signal?: AbortSignal): Promise<boolean>;
}

/** Bounds of one read. */
export interface Limits {
  maxBytes: number;
  /** Aborts the read, and carries its deadline. */
  signal: AbortSignal;
}

/** Settings of one gateway. */
export interface GatewayOptions {
  /** The address before `/ipfs/<cid>`. */
  base: string;
  http: HttpClient;
  /** For redirects: their target comes from the gateway, or from an attacker behind it. */
  ssrfSafeHttp: HttpClient;
  log: Logger;
  retries: number;
}

// Gateways redirect from the path form to the subdomain form, and to a mirror. More redirects are a loop.
const maxRedirects = 3;
/** A CID that embeds its content, which is empty: a gateway can deliver it without a look-up. */
const probe = 'bafkqaaa';

const raw = { query: 'format=raw', accept: 'application/vnd.ipld.raw' };
const car = {
  query: 'format=car&dag-scope=entity',
  accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
};

/** Makes the client of one gateway, with a breaker of its own. */
export function createGateway({ base, http, ssrfSafeHttp, log, retries }: GatewayOptions): Gateway {
  const { host } = new URL(base);
  const resilience = createResilience({
    upstream: 'IPFS',
    log,
    host,
    retries,
    counts: (error) => error instanceof IpfsFailure && error.unhealthy,
  });

  /** Follows redirects to the answer. Leaves statuses about the content to the caller. */
  const follow = async (first: string, accept: string, limits: Limits): Promise<HttpAnswer> => {
    let url = new URL(first);
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const client = hops === 0 ? http : ssrfSafeHttp;
      const answer = await client
        .send({ method: 'GET', url: url.href, headers: { accept }, ...limits })
        .catch((error: unknown) => {
          throw contentFailure(error);
        });
      const { status } = answer;
      const { location } = answer.headers;
      // Thrown here, so that it is retried: it is not about the content.
      const isBusy = status === 429 && answer.headers['retry-after'] !== undefined;
      if (isBusy || (status >= 500 && status !== 504)) throw refusal(answer);
      if (status < 300 || status > 399 || location === undefined) return answer;
      url = nextHop(location, url);
    }
    throw new IpfsFailure('BLOCKED', { cause: 'the gateway redirects in circles' });
  };

  const get = async (cid: CID, { query, accept }: typeof raw, limits: Limits): Promise<HttpAnswer> => {
    try {
      const work = () => follow(`${base}/ipfs/${cid}?${query}`, accept, limits);
      return await resilience.run(work, limits.signal);
    } catch (error) {
      // The breaker is open.
      if (error instanceof UpstreamError && !(error instanceof IpfsFailure))
        throw new IpfsFailure('UNAVAILABLE', { cause: error });
      throw error;
    }
  };

  return {
    async block(cid, limits) {
      const answer = await get(cid, raw, limits);
      if (answer.status !== 200) throw refusal(answer);
      return answer.body;
    },
    async car(cid, limits) {
      const answer = await get(cid, car, limits).catch(ignoreCutCar);
      if (!answer || [400, 406, 415, 501].includes(answer.status)) return undefined;
      if (answer.status !== 200) throw refusal(answer);
      return answer.headers['content-type']?.startsWith('application/vnd.ipld.car') ? answer.body : undefined;
    },
    async isHealthy(given) {
      const deadline = AbortSignal.timeout(probeTimeoutMs);
      const signal = given ? AbortSignal.any([given, deadline]) : deadline;
      const limits = { maxBytes: 1_024, signal };
      try {
        const { status, body } = await withCallSpan({ upstream: 'IPFS', host }, () =>
          follow(`${base}/ipfs/${probe}?${raw.query}`, raw.accept, limits),
        );
        return status === 200 && body.length === 0;
      } catch {
        return false;
      }
    },
  };
}

/** Ignores a CAR that breaks off or is too large: the gateway may still deliver single blocks. */
function ignoreCutCar(error: unknown): undefined {
  const cut =
    error instanceof IpfsFailure && error.cause instanceof HttpFailure ? error.cause.kind : undefined;
  if (cut !== 'BROKEN' && cut !== 'TOO_LARGE') throw error;
}

/**
 * The target of a redirect. Any web address is allowed, because bytes are verified, but not from TLS to plain
 * HTTP.
 */
function nextHop(location: string, from: URL): URL {
  const next = URL.parse(location, from);
  const schemes = from.protocol === 'https:' ? ['https:'] : ['https:', 'http:'];
  if (!next || !schemes.includes(next.protocol) || next.username !== '' || next.password !== '')
    throw new IpfsFailure('BLOCKED', { cause: 'the gateway redirects to no address that may be followed' });
  return next;
}

function contentFailure(error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  if (error.kind === 'ABORTED') return error.cause;
  if (error.kind === 'TOO_LARGE') return new IpfsFailure('TOO_LARGE', { cause: error });
  if (error.cause instanceof AddressRefused) return new IpfsFailure('BLOCKED', { cause: error });
  return new IpfsFailure('UNAVAILABLE', { unhealthy: true, cause: error });
}

function refusal({ status, headers }: HttpAnswer): IpfsFailure {
  if (status === 404) return new IpfsFailure('NOT_FOUND', { status });
  // Gone, or withheld for legal reasons or by a block list.
  if ([401, 403, 410, 451].includes(status)) return new IpfsFailure('BLOCKED', { status });
  if (status === 413) return new IpfsFailure('TOO_LARGE', { status });
  // The gateway looked for the content and did not find it within its own time-out.
  if (status === 408 || status === 504) return new IpfsFailure('TIMEOUT', { status });
  return new IpfsFailure('UNAVAILABLE', {
    status,
    unhealthy: status >= 500,
    retryAfterMs: retryAfterMs(headers),
  });
}
