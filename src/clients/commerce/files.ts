import { z } from 'zod';
import type { FileKey, UploadStatus } from '../../model/file.ts';
import type { HttpAnswer } from '../http.ts';
import {
  badResponse,
  type Call,
  type CallContext,
  type Credentials,
  parseAnswer,
  parseJson,
  parseRefusal,
  post,
} from './call.ts';
import { listOf } from './list-of.ts';

// Zod drops unknown fields of answers, because the service may add some at any time.

const signedFile = z.object({
  filename: z.string(),
  /** Must be sent unchanged with the bytes: the signature covers it. */
  contentType: z.string(),
  /** Signed, valid for 15 minutes. A secret. */
  url: z.string(),
  finalUrl: z.string(),
});

/** A file's signed URL, for reading or writing, and its permanent address. */
export type SignedFile = z.output<typeof signedFile>;

const signedUrlsAnswer = z.object({ results: listOf(signedFile) });

// In lower case, because hashes are compared as text with those that callers announce.
const hash = z.string().transform((text) => (/^sha256-[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text));

// The size is optional, so an invalid one must not fail the hash beside it.
const size = z
  .union([z.int(), z.string().regex(/^\d+$/).transform(Number).pipe(z.int())])
  .refine((bytes) => bytes >= 0)
  .nullish()
  .catch(undefined);

const fileInfo = z.object({
  filename: z.string().optional(),
  hash: hash.nullish(),
  cid: z.string().nullish(),
  size,
  message: z.string().nullish(),
});

/** The API document shows the list under two names, and once as a bare list. */
const fileMetadataAnswer = z.union([
  listOf(fileInfo),
  z.object({ results: listOf(fileInfo) }).transform(({ results }) => results),
  z.object({ payload: listOf(fileInfo) }).transform(({ payload }) => payload),
]);

/** State of a file at the service. It is ready once it has both `hash` and `cid`. */
export interface FileState {
  filename: string;
  /** `sha256-<hex>`, in lower case */
  hash?: string;
  cid?: string;
  /** In bytes. */
  size?: number;
  /** Present only when there is a problem or a wait, e.g. `HASH_STILL_IN_CALCULATION`. */
  message?: string;
  /** The service has no file with this name and category (status 404). */
  missing: boolean;
  /** The service says that this issuer may not see the file (any other 4xx, such as 403). */
  inaccessible: boolean;
}

/** Makes the calls about files. They change nothing, so they are retried on transient failures. */
export function createFileCalls(context: CallContext) {
  const { resilience, timeouts } = context;
  const timeoutMs = timeouts.read;
  return {
    /** Signed URLs for reading or writing, in the order of `files`. */
    async signedUrls(
      credentials: Credentials,
      action: 'write' | 'read',
      files: readonly FileKey[],
      given?: AbortSignal,
    ): Promise<SignedFile[]> {
      if (files.length === 0) return [];
      const payload = keysOf(files);
      return resilience.run(async (signal) => {
        const call: Call = { path: 'signedUrls', credentials, body: { action, payload }, timeoutMs, signal };
        const answer = await post(context, call);
        const { results } = parseAnswer(context, call, answer, signedUrlsAnswer, payload);
        return inOrder(context, call, answer, files, results);
      }, given);
    },
    /** One state for each file, in that order, missing ones included. */
    async fileMetadata(
      credentials: Credentials,
      files: readonly FileKey[],
      given?: AbortSignal,
    ): Promise<FileState[]> {
      if (files.length === 0) return [];
      const call = { path: 'fileMetadata', credentials, timeoutMs } as const;
      return resilience.run((signal) => fileMetadata(context, { ...call, signal }, files), given);
    },
  };
}

const keysOf = (files: readonly FileKey[]) => files.map(({ filename, category }) => ({ filename, category }));

/** The state of each file, in the order of `files`, missing ones included. */
async function fileMetadata(
  context: CallContext,
  like: Omit<Call, 'body'>,
  files: readonly FileKey[],
): Promise<FileState[]> {
  const payload = keysOf(files);
  const call: Call = { ...like, body: { payload } };
  const answer = await post(context, call);
  const absent = absentIn(answer, files);
  if (!absent) {
    const infos = parseAnswer(context, call, answer, fileMetadataAnswer, payload);
    return inOrder(context, call, answer, files, infos).map((info, i) => ({
      filename: (files[i] as FileKey).filename,
      ...(info.hash != null && { hash: info.hash }),
      ...(info.cid != null && { cid: info.cid }),
      ...(info.size != null && { size: info.size }),
      ...(info.message != null && { message: info.message }),
      missing: false,
      inaccessible: false,
    }));
  }
  // Such an answer lists only absent files, so ask again for the others. It ends, because each round asks for fewer.
  const present = files.filter((_, i) => !absent.has(i));
  if (present.length === files.length)
    throw badResponse(context, call, answer, 'names none of the requested files');
  const states = (present.length > 0 ? await fileMetadata(context, like, present) : []).values();
  return files.map((_, i) => absent.get(i) ?? (states.next().value as FileState));
}

/** Whether an answer to `fileMetadata` has states of files, or lists absent ones. */
export function isAboutFiles(answer: HttpAnswer): boolean {
  const { status, body } = answer;
  if (status === 200) return fileMetadataAnswer.safeParse(parseJson(body)).success;
  return status >= 400 && status < 500 && parseRefusal(answer)?.kind === 'files';
}

/**
 * The files that an answer lists as missing or inaccessible, by position; undefined when it lists none. The
 * API document shows the list for 404 only. With another 4xx the files exist, but not for this issuer. A 5xx
 * says nothing about files.
 */
function absentIn(answer: HttpAnswer, files: readonly FileKey[]): Map<number, FileState> | undefined {
  const { status } = answer;
  if (status < 400 || status >= 500) return undefined;
  const parsed = parseRefusal(answer);
  if (parsed?.kind !== 'files') return undefined;
  const missing = status === 404;
  // The API document does not say whether `index` counts from 0, so the name in `filePath` takes precedence.
  const first = parsed.files.some(({ index }) => index === files.length) ? 1 : 0;
  const indexIn = fileFinder(files);
  const absent = new Map<number, FileState>();
  for (const { index, filePath, message } of parsed.files) {
    const at = indexIn(filePath, index - first);
    const filename = files[at]?.filename;
    const text = message ?? (missing ? undefined : `not accessible (HTTP status ${status})`);
    if (filename !== undefined)
      absent.set(at, { filename, ...(text && { message: text }), missing, inaccessible: !missing });
  }
  return absent;
}

/**
 * Finds the file that a path in the storage names: the one at `index`, or the first of this name; else the one there.
 */
function fileFinder(files: readonly FileKey[]) {
  const firstNamed = new Map(files.map(({ filename }, i) => [filename, i] as const).reverse());
  return (path: string | null | undefined, index: number): number => {
    const names = namesIn(path ?? '');
    const named = names.map((name) => firstNamed.get(name)).find((i) => i !== undefined);
    return names.includes(files[index]?.filename ?? '') ? index : (named ?? index);
  };
}

/** The name of a file that a path in the storage may mean. The path may be percent-encoded. */
function namesIn(path: string): string[] {
  // Names of files have no slash.
  const name = path.split('/').at(-1) ?? '';
  try {
    return [name, decodeURIComponent(name)];
  } catch {
    return [name];
  }
}

/**
 * Puts results into the order of `files`. The API document promises that order; other answers are sorted by
 * file name.
 */
function inOrder<T extends { filename?: string | undefined }>(
  context: CallContext,
  call: Call,
  answer: HttpAnswer,
  files: readonly FileKey[],
  results: T[],
): T[] {
  if (results.length === files.length) {
    // An element without a name belongs to the file at its position.
    if (files.every(({ filename }, i) => (results[i]?.filename ?? filename) === filename)) return results;
    const byName = new Map(results.map((result) => [result.filename, result]));
    const named = files.map(({ filename }) => byName.get(filename));
    if (byName.size === files.length && named.every((result) => result !== undefined)) return named as T[];
  }
  throw badResponse(context, call, answer, 'it is about other files than the request');
}

/**
 * Messages about a calculation that still runs: HASH_STILL_IN_CALCULATION, and likely variants such as
 * CID_STILL_IN_CALCULATION or "the cid is still being calculated".
 */
const calculating = [
  /(?:^|[^a-z])(?:still|being|in)[^a-z]+(?:in[^a-z]+|being[^a-z]+)?calculat/i,
  /calculat\w*[^a-z]+(?:is[^a-z]+)?(?:still[^a-z]+)?(?:in[^a-z]+progress|pending|running|under[^a-z]+way)/i,
];

/** The upload status of a file's state. */
export function statusOfFile({ missing, inaccessible, hash, cid, message }: FileState): UploadStatus {
  if (missing) return 'AWAITING_BYTES';
  if (inaccessible) return 'FAILED';
  if (hash && cid) return 'READY';
  // The API document promises a message for each problem, so without one the calculation is still running.
  return !message || calculating.some((words) => words.test(message)) ? 'CALCULATING' : 'FAILED';
}
