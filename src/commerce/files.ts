import type { HttpAnswer } from '../lib/upstream/http.ts';
import { badResponse, type Call, type CallContext, post, saidIn, understand } from './call.ts';
import { type Credentials, type FileKey, fileMetadataAnswer, signedUrlsAnswer } from './wire.ts';

/** A file's temporary address, for one method, and its permanent one. */
export interface SignedFile {
  filename: string;
  /** Must be sent with the bytes, exactly so. */
  contentType: string;
  /** Signed; a secret, good for 15 minutes. */
  url: string;
  finalUrl: string;
}

/** What the service knows of a stored file. Ready for use once both `hash` and `cid` are there. */
export interface FileState {
  filename: string;
  /** `sha256-<hex>` */
  hash?: string;
  cid?: string;
  /** Bytes. */
  size?: number;
  /** Present only when something is the matter, e.g. `HASH_STILL_IN_CALCULATION`. */
  message?: string;
  /** Nothing is stored under this name and category, or not for this issuer. */
  missing: boolean;
}

interface FileCall {
  credentials: Credentials;
  files: readonly FileKey[];
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const keysOf = (files: readonly FileKey[]) => files.map(({ filename, category }) => ({ filename, category }));

/** One signed address for each file, in the order asked. */
export async function signedUrls(
  context: CallContext,
  { credentials, files, timeoutMs, signal }: FileCall,
  action: 'write' | 'read',
): Promise<SignedFile[]> {
  const payload = keysOf(files);
  const call: Call = { path: 'signedUrls', credentials, body: { action, payload }, timeoutMs, signal };
  const answer = await post(context, call);
  const { results } = understand(context, call, answer, signedUrlsAnswer, payload);
  return inOrder(context, call, answer, files, results);
}

/** The state of each file, in the order asked, also when some of them are missing. */
export async function fileMetadata(context: CallContext, options: FileCall): Promise<FileState[]> {
  const { credentials, files, timeoutMs, signal } = options;
  const payload = keysOf(files);
  const call: Call = { path: 'fileMetadata', credentials, body: { payload }, timeoutMs, signal };
  const answer = await post(context, call);
  const missing = missingIn(answer, files);
  if (!missing) {
    const infos = understand(context, call, answer, fileMetadataAnswer, payload);
    return inOrder(context, call, answer, files, infos).map((info) => ({
      filename: info.filename,
      ...(info.hash != null && { hash: info.hash }),
      ...(info.cid != null && { cid: info.cid }),
      ...(info.size != null && { size: info.size }),
      ...(info.message != null && { message: info.message }),
      missing: false,
    }));
  }
  // Such an answer says nothing of the files that are there; each turn leaves fewer to ask for.
  const present = files.filter((_, i) => !missing.has(i));
  if (present.length === files.length)
    throw badResponse(context, call, answer, 'names none of the files that were asked for');
  const states = present.length > 0 ? await fileMetadata(context, { ...options, files: present }) : [];
  return files.map(({ filename }, i) =>
    missing.has(i) ? { filename, missing: true } : (states.shift() as FileState),
  );
}

/** Positions of the missing files, when the answer is a list of them. */
function missingIn(answer: HttpAnswer, files: readonly FileKey[]): Set<number> | undefined {
  if (answer.status < 400) return undefined;
  const said = saidIn(answer);
  if (said?.kind !== 'files') return undefined;
  return new Set(said.files.map(({ index }) => index).filter((index) => index < files.length));
}

/** The document promises the order asked; an answer out of order is put right when names tell which is which. */
function inOrder<T extends { filename: string }>(
  context: CallContext,
  call: Call,
  answer: HttpAnswer,
  files: readonly FileKey[],
  results: T[],
): T[] {
  if (results.length === files.length) {
    if (files.every(({ filename }, i) => results[i]?.filename === filename)) return results;
    const byName = new Map(results.map((result) => [result.filename, result]));
    const named = files.map(({ filename }) => byName.get(filename));
    if (byName.size === files.length && named.every((result) => result !== undefined)) return named as T[];
  }
  throw badResponse(context, call, answer, 'its files are not the files that were asked for');
}
