import type { Logger } from '@srr-gateway/common/log';
import type { CID } from 'multiformats/cid';
import { UpstreamError } from '../../model/errors.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { createResilience } from '../resilience.ts';
import { AddressRefused } from '../ssrf-safe-http.ts';
import { IpfsFailure } from './failure.ts';

/** One trustless gateway. What it delivers is not verified here. */
export interface Gateway {
  host: string;
  /** The block of a CID. */
  block(cid: CID, limits: Limits): Promise<Uint8Array>;
  /** A CAR with the blocks of a file; undefined when the gateway serves none. */
  car(cid: CID, limits: Limits): Promise<Uint8Array | undefined>;
}

export interface Limits {
  maxBytes: number;
  /** Bounds the time, too. */
  signal: AbortSignal;
}

// Gateways send from the path form to the subdomain form, and to a mirror; more hops than that lead nowhere.
const maxRedirects = 3;
// The caller's signal ends a request; this only bounds one that came without a deadline.
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

/** An archive that breaks off, or holds more than the file, says nothing of the gateway's single blocks. */
function onlyWhole(error: unknown): undefined {
  const cut =
    error instanceof IpfsFailure && error.cause instanceof HttpFailure ? error.cause.kind : undefined;
  if (cut !== 'BROKEN' && cut !== 'TOO_LARGE') throw error;
}

export interface GatewayOptions {
  /** The address before `/ipfs/<cid>`. */
  base: string;
  http: HttpClient;
  /** Follows redirects: the address of one is the gateway's word, and a stranger may have put it there. */
  guarded: HttpClient;
  log: Logger;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { base, log } = options;
  const { host } = new URL(base);
  const guard = createResilience({
    upstream: 'IPFS',
    log,
    host,
    // The next gateway is the better second attempt; one more here saves a lone gateway's reset connection.
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

/** Where a redirect leads: anywhere on the web, as the bytes are checked; but never out of TLS. */
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
  // The gateway looked for the content and did not find it in its own time.
  if (status === 408 || status === 504) return new IpfsFailure('TIMEOUT', { status });
  return new IpfsFailure('UNAVAILABLE', { status, unwell: status >= 500 });
}
