import { errorOf, isOpen, refuse } from './errors.ts';
import { type Circumstances, GatewayError, NoAnswerError } from './gateway-error.ts';
import { createUploads, uploadFile, uploadState } from './generated/operations.ts';
import type {
  CreateUploadsMutation,
  FileCategory,
  UploadFileMutation,
  UploadPartsFragment,
  UploadSpecInput,
  UploadStateQuery,
} from './generated/types.ts';
import { type Answer, acceptedTypes, type Http, originOf, parsed, readAll, resultOf } from './http.ts';
import { multipartForm } from './multipart-form.ts';
import { type Platform, type Transfer, type Way, ways } from './platform.ts';
import { assertSignal, pause, type RetryOptions, retrying } from './retry.ts';

/** A file at the issuance service. Its `id` goes into entries: `{ upload: id }`. */
export type Upload = UploadPartsFragment;

/** Progress of an upload. */
export interface Progress {
  /** First the bytes are hashed, then they are sent, unless the service has the content already. */
  phase: 'hashing' | 'sending';
  bytes: number;
  total: number;
}

/** Options of `upload`. */
export interface UploadOptions extends RetryOptions {
  /**
   * With an extension and without spaces. The default is the name of the `File` or path. The content of a name can
   * never change.
   */
  filename?: string | undefined;
  category: FileCategory;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** How to upload. Without it the client chooses, and falls back from the storage to the gateway. */
  via?: Way | undefined;
}

/**
 * How often to look for bytes whose answer was lost, which the service shows within seconds. If the name is still
 * refused then, it has other content.
 */
const maxRefused = 5;

/** 128 kbit/s: the slowest line that is waited for where there is no progress to observe. */
const slowestBytesPerMs = 16;

type Place = CreateUploadsMutation['createUploads']['uploads'][number];

/** Uploads a file with retries, unless the issuer has its content already. */
export async function upload<Source>(
  deps: { http: Http; platform: Platform<Source> },
  source: Source,
  { filename: given, category, onProgress, via, ...options }: UploadOptions,
): Promise<Upload> {
  const { http, platform } = deps;
  const { signal } = options;
  assertSignal(signal);
  // `input.files[0]` without a chosen file.
  if (source == null) throw new TypeError('upload needs a file, and got none.');
  if (via && !ways.includes(via)) throw new TypeError(`via must be one of ${ways.join(', ')}.`);
  const file = await platform.open(source, signal);
  const { blob } = file;
  const filename = given ?? file.filename;
  if (!filename) {
    await file.close?.();
    throw new TypeError('upload needs a `filename`: a Blob and a stream have none.');
  }
  const report = (phase: Progress['phase']) => (bytes: number) =>
    onProgress?.({ phase, bytes, total: blob.size });
  let way = via ?? platform.way;
  let refused = 0;
  let isSending = false;
  try {
    const sha256 = await hash(blob, report('hashing'));
    const spec: UploadSpecInput = { filename, category, sha256, size: String(blob.size) };
    return await retrying(
      (error) => mayRepeat(error),
      async () => {
        // Ask before each attempt: the file may be known, or an earlier attempt may have succeeded although
        // its answer was lost.
        isSending = false;
        const { place, requestId } = await announce(spec);
        if (place.status === 'FAILED') {
          const message = place.message ?? `${filename} cannot be used.`;
          throw errorOf({ code: 'FILE_NOT_READY', message }, { requestId });
        }
        if (place.status === 'AWAITING_BYTES') {
          isSending = true;
          return await send(place);
        }
        return place.hash ? partsOf(place) : await ownContent(place, sha256);
      },
      options,
    );
  } finally {
    await file.close?.();
  }

  function mayRepeat(error: unknown): error is GatewayError {
    const direct = way === 'signedUrl' && isSending;
    // Fall back to the gateway: the storage may not be reachable from here.
    if (direct && !via) way = 'proxyUrl';
    const ofBytes =
      isSending && error instanceof GatewayError && /^(FILENAME_TAKEN|UPLOAD_REFUSED)$/.test(error.code);
    return ofBytes ? ++refused < maxRefused && (direct || error.code === 'FILENAME_TAKEN') : isOpen(error);
  }

  async function hash(bytes: Blob, onBytes: (count: number) => void): Promise<string> {
    const digest = platform.sha256();
    const reader = bytes.stream().getReader();
    for (let count = 0; ; onBytes(count)) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return digest.hex();
      digest.update(value);
      count += value.length;
    }
  }

  async function announce(spec: UploadSpecInput) {
    const variables = { input: { files: [spec] } };
    const { data, requestId } = await http.execute({ query: createUploads, variables }, signal);
    const { uploads, userErrors } = (data as CreateUploadsMutation).createUploads;
    refuse(userErrors, requestId);
    return { place: uploads[0] as Place, requestId };
  }

  async function send(place: Place): Promise<Upload> {
    const sent = report('sending');
    sent(0);
    const stored = way === 'uploadFile' ? await post(place, sent) : await put(place, sent);
    sent(blob.size);
    return stored;
  }

  async function post(place: Place, onSent: (bytes: number) => void): Promise<Upload> {
    const { url } = http.settings;
    const input = { filename: place.filename, category, file: null };
    const form = multipartForm({ query: uploadFile, variables: { input } }, place.filename, blob);
    const answer = await transfer({
      method: 'POST',
      url,
      blob: form.body,
      // A form on another site cannot set the last header, so the gateway knows that this is not CSRF.
      headers: {
        accept: acceptedTypes,
        ...(await http.headers()),
        'content-type': form.contentType,
        'apollo-require-preflight': 'true',
      },
      // The form is longer than the file: report no more than the file's bytes.
      onSent: (bytes) => onSent(Math.min(bytes, blob.size)),
    });
    const { data, requestId } = resultOf(parsed(answer, url), answer.circumstances);
    const { upload: stored, userErrors } = (data as UploadFileMutation).uploadFile;
    refuse(userErrors, requestId);
    return stored as Upload;
  }

  async function put(place: Place, onSent: (bytes: number) => void): Promise<Upload> {
    const { signedUrl, proxyUrl, contentType } = place;
    const direct = way === 'signedUrl' && signedUrl;
    const url = direct || proxyUrl;
    // A signed address needs no credentials, and the storage must not get the token.
    const headers = { ...(!direct && (await http.headers())), 'content-type': contentType };
    const { status, text, circumstances } = await transfer({ method: 'PUT', url, blob, headers, onSent });
    if (status >= 300) throw putError(url, status, text, circumstances);
    return { ...partsOf(place), status: 'CALCULATING' };
  }

  /** Sends the bytes without a limit as long as they progress: a large file takes minutes on a slow network. */
  async function transfer(request: Omit<Transfer, 'signal' | 'fetch'>): Promise<Answer> {
    const { url } = request;
    const { fetch } = http.settings;
    let { timeoutMs } = http.settings;
    if (!platform.tellsProgress()) timeoutMs += request.blob.size / slowestBytesPerMs;
    const ending = new AbortController();
    const stall = () =>
      ending.abort(new NoAnswerError(`${originOf(url)} has accepted no bytes for a while.`));
    let timer = setTimeout(stall, timeoutMs);
    try {
      const response = await platform
        .send({
          ...request,
          onSent: (bytes) => {
            // Of a transfer that was aborted, one more piece may be read.
            if (ending.signal.aborted) return;
            clearTimeout(timer);
            timer = setTimeout(stall, timeoutMs);
            try {
              request.onSent(bytes);
            } catch (error) {
              // The platform would take it for a lost connection, and the upload would be repeated.
              ending.abort(error);
            }
          },
          signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
          fetch,
        })
        .catch(async (cause: unknown) => {
          signal?.throwIfAborted();
          ending.signal.throwIfAborted();
          await assertUnchanged();
          throw new NoAnswerError(`No answer from ${originOf(url)}.`, { cause });
        });
      return await readAll(response, url, signal);
    } finally {
      clearTimeout(timer);
      ending.abort();
    }
  }

  /** A file that changed while it was sent looks like a lost connection, and would be sent again in vain. */
  async function assertUnchanged(): Promise<void> {
    try {
      await blob.slice(0, 1).arrayBuffer();
    } catch (cause) {
      throw new TypeError(`${filename} has changed during its upload, or cannot be read any more.`, {
        cause,
      });
    }
  }

  /**
   * The file under this name, if its content is ours. Its hash may not be known yet, so wait. With other
   * content the name is taken.
   */
  async function ownContent(place: Place, sha256: string): Promise<Upload> {
    const key = { filename: place.filename, category };
    // Most hashes are known within seconds. After a minute rely on the gateway's own check before it issues.
    for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await pause(1_000, signal)) {
      const { data, requestId } = await http.execute(
        { query: uploadState, variables: { files: [key] } },
        signal,
      );
      const state = (data as UploadStateQuery).uploads?.[0];
      if (!state?.hash) continue;
      if (state.hash === `sha256-${sha256}`) return state;
      const message = `${filename} already has other content. Choose another filename.`;
      throw errorOf({ code: 'FILENAME_TAKEN', message }, { requestId });
    }
    return partsOf(place);
  }
}

/** The upload without its addresses: a signed one is a secret, and is not needed any more. */
function partsOf({ signedUrl: _, proxyUrl: __, ...parts }: Place): Upload {
  return parts;
}

/** The error of the storage or the gateway that refused the bytes. */
function putError(url: string, status: number, text: string, about: Circumstances): Error {
  const origin = originOf(url);
  let told: { code: string; message: string } | undefined;
  try {
    const { error } = JSON.parse(text);
    // A storage or a proxy may answer with JSON too, whose error is only text or has the status as its code.
    if (typeof error?.code === 'string') told = error;
  } catch {}
  if (told) return errorOf(told, about);
  if (status === 429) return errorOf({ code: 'RATE_LIMITED', message: `${origin} answered 429.` }, about);
  if (status >= 500) return new NoAnswerError(`${origin} answered ${status}.`, about);
  return errorOf(
    { code: 'UPLOAD_REFUSED', message: `${origin} refused the bytes (status ${status}).` },
    about,
  );
}
