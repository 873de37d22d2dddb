import { z } from 'zod';
import { jsonbSafe } from '../../lib/jsonb-safe.ts';
import { type ErrorCode, type Fault, GatewayError } from '../../model/errors.ts';
import { listOf } from './list-of.ts';
import type { Proof } from './messages.ts';
import { type Payload, proofOf, readMessage } from './read-message.ts';

// Faults are stored as jsonb, which refuses half of a surrogate pair, as in a truncated text.
const text = z.string().transform((given) => jsonbSafe(given) as string);

// Only with status 404 are fields besides `index` documented.
const absentFiles = listOf(
  z.object({ index: z.number().int().min(0), filePath: z.string().nullish(), message: text.nullish() }),
  1,
).transform((files) => ({ kind: 'files' as const, files }));

const failedEntries = listOf(z.object({ externalId: text.nullish(), message: text }), 1);

const message = z.union([
  text.transform((one) => ({ kind: 'texts' as const, texts: [one] })),
  listOf(text, 1).transform((texts) => ({ kind: 'texts' as const, texts })),
  z
    .object({ results: failedEntries })
    .transform(({ results }) => ({ kind: 'entries' as const, entries: results })),
  absentFiles,
]);

/** An error answer in any of the forms of the API document. */
export const refusalAnswer = z.union([
  z.object({ message }).transform((answer) => answer.message),
  absentFiles,
]);

/** The content of an error answer: texts, failed entries or absent files. */
export type ParsedRefusal = z.infer<typeof refusalAnswer>;

/**
 * The service refused the request. Its records may exist all the same: `refusal-report.ts` says what status and texts
 * prove. In `faults` the entries at fault come first, then those cancelled because of them (code SRR_NOT_CREATED).
 */
export class CommerceRefusal extends GatewayError {
  readonly status: number;
  /** What the root faults prove: those of entries that failed by themselves, or of the whole request. */
  readonly proofs: readonly Proof[];

  constructor(faults: [Fault, ...Fault[]], status: number) {
    const cancelled = faults.filter(isCancelled);
    const causes = faults.filter((fault) => !isCancelled(fault));
    super([...causes, ...cancelled] as [Fault, ...Fault[]]);
    this.status = status;
    this.proofs = causes.map(({ upstreamMessage = '' }) => proofOf(upstreamMessage));
  }
}

const isCancelled = ({ code, upstreamMessage }: Fault) =>
  code === 'SRR_NOT_CREATED' && /^SRR_NOT_CREATED: Not created because/.test(upstreamMessage ?? '');

/** Whether the request is refused for nothing but files whose hash or CID is still being calculated. */
export function isOnlyUnready({ faults }: CommerceRefusal): boolean {
  const causes = faults.filter((fault) => !isCancelled(fault)).map(({ code }) => code);
  return causes.length > 0 && causes.every((code) => /^(FILE|ATTACHMENT)_NOT_READY$/.test(code));
}

/**
 * If the service refused the request because of an identical earlier one, the state of that one.
 * `successful`: it was issued. `in_progress`: ask again later. `undefined`: the refusal has another reason.
 */
export function requestContentState(refusal: CommerceRefusal): 'in_progress' | 'successful' | undefined {
  for (const { code, upstreamMessage } of refusal.faults) {
    if (code !== 'DUPLICATE_REQUEST_CONTENT') continue;
    return /logged with status successful/.test(upstreamMessage ?? '') ? 'successful' : 'in_progress';
  }
  return undefined;
}

/** Reads a refusal; undefined for a 5xx without a documented message, which leaves the outcome open. */
export function readRefusal(
  parsed: ParsedRefusal,
  status: number,
  payload: Payload,
  issuer?: string,
): CommerceRefusal | undefined {
  const faults = faultsOf(parsed, status, payload, issuer);
  if (!faults || (status >= 500 && !faults.documented)) return undefined;
  const [first, ...rest] = faults.list;
  return first && new CommerceRefusal([first, ...rest], status);
}

function faultsOf(
  parsed: ParsedRefusal,
  status: number,
  payload: Payload,
  issuer: string | undefined,
): { list: Fault[]; documented: boolean } | undefined {
  if (parsed.kind === 'files') return undefined;
  if (parsed.kind === 'entries') {
    const indexOf = new Map(payload.map((entry, i) => [entry.externalId, i]));
    const list = parsed.entries.map(({ externalId, message }): Fault => {
      const [fault] = readMessage(message, payload, 'UNKNOWN_ERROR', {
        entry: indexOf.get(externalId),
        issuer,
      }).faults;
      return externalId == null ? fault : { ...fault, externalId };
    });
    return { list, documented: true };
  }
  const otherwise = otherwiseOf(status);
  const read = parsed.texts.map((one) => readMessage(one, payload, otherwise, { issuer }));
  return { list: read.flatMap(({ faults }) => faults), documented: read.some((one) => one.documented) };
}

function otherwiseOf(status: number): ErrorCode {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  return status >= 500 ? 'SERVICE_ERROR' : 'UNKNOWN_ERROR';
}
