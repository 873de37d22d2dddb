import type { Logger } from '@srr-gateway/common/log';
import type { CID } from 'multiformats/cid';
import { UpstreamError } from '../../model/errors.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { createResilience } from '../resilience.ts';
import { AddressRefused } from '../ssrf-safe-http.ts';
import { IpfsFailure } from './failure.ts';

/** One trustless gateway; the caller must verify the bytes. Throws IpfsFailure, or the signal's reason. */
export interface Gateway {
  host: string;
  /** The block of a CID, unverified. */
  block(cid: CID, limits: Limits): Promise<Uint8Array>;
  /** A CAR with the blocks of a file; undefined when the gateway serves none. */
  car(cid: CID, limits: Limits): Promise<Uint8Array | undefined>;
}

/** Bounds of one read. */
export interface Limits {
  maxBytes: number;
  /** Aborts the read, and carries its deadline. */
  signal: AbortSignal;
}

// Gateways redirect from the path form to the subdomain form, and to a mirror; more hops lead nowhere.
const maxRedirects = 3;
// The caller's signal normally ends a request; this bounds one whose signal has no deadline.
const longestMs = 120_000;

interface Format {
  query: string;
  accept: string;
}
const raw: Format = { query: 'format=raw', accept: 'application/vnd.ipld.raw' };
const car: Format = {
  query: 'format=car&dag-scope=entity',
  accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
};

/** Ignores a CAR that breaks off or is too large: single blocks may still be had from this gateway. */
function onlyWhole(error: unknown): undefined {
  const cut =
    error instanceof IpfsFailure && error.cause instanceof HttpFailure ? error.cause.kind : undefined;
  if (cut !== 'BROKEN' && cut !== 'TOO_LARGE') throw error;
}

/** Settings of one gateway. */
export interface GatewayOptions {
  /** The address before `/ipfs/<cid>`. */
  base: string;
  http: HttpClient;
  /** SSRF-safe client for redirects, whose target comes from the gateway or from an attacker behind it. */
  guarded: HttpClient;
  log: Logger;
}

/** Makes the client of one gateway, with a breaker of its own. */
export function createGateway(options: GatewayOptions): Gateway {
  const { base, log } = options;
  const { host } = new URL(base);
  const guard = createResilience({
    upstream: 'IPFS',
    log,
    host,
    // The next gateway is the better second attempt; one retry mends a reset connection to an only gateway.
    retries: 1,
    counts: (error) => error instanceof IpfsFailure && error.unwell,
  });
  const fetchContent = async (cid: CID, format: Format, limits: Limits): Promise<HttpAnswer> => {
    try {
      return await guard.run(
        () => followed(options, new URL(`${base}/ipfs/${cid}?${format.query}`), format, limits),
        limits.signal,
      );
    } catch (error) {
      if (error instanceof UpstreamError && !(error instanceof IpfsFailure))
        throw new IpfsFailure('UNAVAILABLE', { cause: error });
      throw error;
    }
  };
  return {
    host,
    async block(cid, limits) {
      const answer = await fetchContent(cid, raw, limits);
      if (answer.status !== 200) throw refusal(answer.status);
      return answer.body;
    },
    async car(cid, limits) {
      const answer = await fetchContent(cid, car, limits).catch(onlyWhole);
      if (!answer || [400, 406, 415, 501].includes(answer.status)) return undefined;
      if (answer.status !== 200) throw refusal(answer.status);
      return answer.headers['content-type']?.startsWith('application/vnd.ipld.car') ? answer.body : undefined;
    },
  };
}

async function followed(
  { http, guarded }: Pick<GatewayOptions, 'http' | 'guarded'>,
  first: URL,
  format: Format,
  limits: Limits,
): Promise<HttpAnswer> {
  let url = first;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const answer = await send(hops === 0 ? http : guarded, url, format, limits);
    const location = answer.headers.location;
    if (answer.status < 300 || answer.status > 399 || location === undefined) {
      if (answer.status >= 500 && answer.status !== 504) throw refusal(answer.status);
      return answer;
    }
    url = nextHop(location, url);
  }
  throw new IpfsFailure('BLOCKED', { cause: 'the gateway redirects in circles' });
}

/** The target of a redirect: any web address, as bytes are verified, but never from TLS to plain HTTP. */
function nextHop(location: string, from: URL): URL {
  const next = URL.parse(location, from);
  const schemes = from.protocol === 'https:' ? ['https:'] : ['https:', 'http:'];
  if (!next || !schemes.includes(next.protocol) || next.username !== '' || next.password !== '')
    throw new IpfsFailure('BLOCKED', { cause: 'the gateway redirects to no address that may be followed' });
  return next;
}

async function send(
  http: HttpClient,
  url: URL,
  { accept }: Format,
  { maxBytes, signal }: Limits,
): Promise<HttpAnswer> {
  try {
    return await http.send({
      method: 'GET',
      url: url.href,
      headers: { accept },
      timeoutMs: longestMs,
      maxBytes,
      signal,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const failure = error;
    if (failure.kind === 'ABORTED') throw failure.cause;
    if (failure.kind === 'TOO_LARGE') throw new IpfsFailure('TOO_LARGE', { cause: error });
    if (failure.kind === 'TIMEOUT') throw new IpfsFailure('TIMEOUT', { cause: error });
    if (failure.cause instanceof AddressRefused) throw new IpfsFailure('BLOCKED', { cause: error });
    throw new IpfsFailure('UNAVAILABLE', { unwell: true, cause: error });
  }
}

function refusal(status: number): IpfsFailure {
  if (status === 404) return new IpfsFailure('NOT_FOUND', { status });
  // Gone, or withheld for legal reasons or by a block list.
  if ([401, 403, 410, 451].includes(status)) return new IpfsFailure('BLOCKED', { status });
  if (status === 413) return new IpfsFailure('TOO_LARGE', { status });
  // The gateway looked for the content and did not find it within its own time-out.
  if (status === 408 || status === 504) return new IpfsFailure('TIMEOUT', { status });
  return new IpfsFailure('UNAVAILABLE', { status, unwell: status >= 500 });
}
