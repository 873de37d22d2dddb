import { errorOf, hasUnknownOutcome, throwIfRefused } from './errors.ts';
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
 * How often to try again after a refusal. If the answer to an earlier attempt was lost, its bytes show up within
 * seconds. If the name is still refused after that, it has other content.
 */
const maxRefused = 5;

/** 128 kbit/s: the slowest connection to allow for where the platform reports no progress. */
const slowestBytesPerMs = 16;

type UploadSlot = CreateUploadsMutation['createUploads']['uploads'][number];

/** Uploads a file with retries, unless the issuer has its content already. */
export async function upload<Source>(
  deps: { http: Http; platform: Platform<Source> },
  source: Source,
  { filename: requestedName, category, onProgress, via, ...options }: UploadOptions,
): Promise<Upload> {
  const { http, platform } = deps;
  const { signal } = options;
  assertSignal(signal);
  // `input.files[0]` is undefined when the user has chosen no file.
  if (source == null) throw new TypeError('upload needs a file, and got none.');
  if (via && !ways.includes(via)) throw new TypeError(`via must be one of ${ways.join(', ')}.`);
  const file = await platform.open(source, signal);
  const { blob } = file;
  const filename = requestedName ?? file.filename;
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
        const { slot, requestId } = await announce(spec);
        if (slot.status === 'FAILED') throw failedError(slot, requestId);
        if (slot.status === 'AWAITING_BYTES') {
          isSending = true;
          return await send(slot);
        }
        return slot.hash ? partsOf(slot) : await verifyContent(slot, sha256);
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
    const bytesRefused =
      isSending && error instanceof GatewayError && /^(FILENAME_TAKEN|UPLOAD_REFUSED)$/.test(error.code);
    return bytesRefused
      ? ++refused < maxRefused && (direct || error.code === 'FILENAME_TAKEN')
      : hasUnknownOutcome(error);
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
    throwIfRefused(userErrors, requestId);
    return { slot: uploads[0] as UploadSlot, requestId };
  }

  async function send(slot: UploadSlot): Promise<Upload> {
    const sent = report('sending');
    sent(0);
    const stored = way === 'uploadFile' ? await post(slot, sent) : await put(slot, sent);
    sent(blob.size);
    return stored;
  }

  async function post(slot: UploadSlot, onSent: (bytes: number) => void): Promise<Upload> {
    const { url } = http.settings;
    const input = { filename: slot.filename, category, file: null };
    const form = multipartForm({ query: uploadFile, variables: { input } }, slot.filename, blob);
    const answer = await transfer({
      method: 'POST',
      url,
      blob: form.body,
      // A form on another site cannot set the last header, which shows the gateway that this is not CSRF.
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
    throwIfRefused(userErrors, requestId);
    return stored as Upload;
  }

  async function put(slot: UploadSlot, onSent: (bytes: number) => void): Promise<Upload> {
    const { signedUrl, proxyUrl, contentType } = slot;
    const direct = way === 'signedUrl' && signedUrl;
    const url = direct || proxyUrl;
    // A signed address needs no credentials, and the storage must not get the token.
    const headers = { ...(!direct && (await http.headers())), 'content-type': contentType };
    const { status, text, circumstances } = await transfer({ method: 'PUT', url, blob, headers, onSent });
    if (status >= 300) throw putError(url, status, text, circumstances);
    return { ...partsOf(slot), status: 'CALCULATING' };
  }

  /** Sends the bytes, without a time limit as long as they make progress: a large file may take minutes. */
  async function transfer(request: Omit<Transfer, 'signal' | 'fetch'>): Promise<Answer> {
    const { url } = request;
    const { fetch } = http.settings;
    let { timeoutMs } = http.settings;
    if (!platform.reportsProgress()) timeoutMs += request.blob.size / slowestBytesPerMs;
    const controller = new AbortController();
    const stall = () =>
      controller.abort(new NoAnswerError(`${originOf(url)} has accepted no bytes for a while.`));
    let timer = setTimeout(stall, timeoutMs);
    try {
      const response = await platform
        .send({
          ...request,
          onSent: (bytes) => {
            // The platform may still read one more piece after an abort.
            if (controller.signal.aborted) return;
            clearTimeout(timer);
            timer = setTimeout(stall, timeoutMs);
            try {
              request.onSent(bytes);
            } catch (error) {
              // Otherwise the error would look like a lost connection, and the upload would be repeated.
              controller.abort(error);
            }
          },
          signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
          fetch,
        })
        .catch(async (cause: unknown) => {
          signal?.throwIfAborted();
          controller.signal.throwIfAborted();
          await assertUnchanged();
          throw new NoAnswerError(`No answer from ${originOf(url)}.`, { cause });
        });
      return await readAll(response, url, signal);
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }

  /** A change of the file during the upload looks like a lost connection, and would be retried in vain. */
  async function assertUnchanged(): Promise<void> {
    try {
      await blob.slice(0, 1).arrayBuffer();
    } catch (cause) {
      throw new TypeError(`${filename} changed during its upload, or can no longer be read.`, {
        cause,
      });
    }
  }

  /**
   * Returns the file under this name if it has our content. Waits until its hash is known. @throws FILENAME_TAKEN when
   * it has other content; FILE_NOT_READY when the service could not use it
   */
  async function verifyContent(slot: UploadSlot, sha256: string): Promise<Upload> {
    const key = { filename: slot.filename, category };
    // Most hashes are known within seconds. After a minute rely on the gateway's own check before it issues.
    for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await pause(1_000, signal)) {
      const { data, requestId } = await http.execute(
        { query: uploadState, variables: { files: [key] } },
        signal,
      );
      const state = (data as UploadStateQuery).uploads?.[0];
      if (state?.status === 'FAILED') throw failedError(state, requestId);
      if (!state?.hash) continue;
      if (state.hash === `sha256-${sha256}`) return state;
      const message = `${filename} already has other content. Choose another filename.`;
      throw errorOf({ code: 'FILENAME_TAKEN', message }, { requestId });
    }
    return partsOf(slot);
  }
}

/** The error of a file that the service could not use. */
const failedError = (
  { filename, message }: Pick<Upload, 'filename' | 'message'>,
  requestId: string | undefined,
) => errorOf({ code: 'FILE_NOT_READY', message: message ?? `${filename} cannot be used.` }, { requestId });

/** The upload without its addresses: a signed address is a secret, and no longer needed. */
function partsOf({ signedUrl: _, proxyUrl: __, ...parts }: UploadSlot): Upload {
  return parts;
}

/** The error of the storage or the gateway that refused the bytes. */
function putError(url: string, status: number, text: string, about: Circumstances): Error {
  const origin = originOf(url);
  let fault: { code: string; message: string } | undefined;
  try {
    const { error } = JSON.parse(text);
    // Storage or a proxy may answer in JSON too, but there the error is text, or its code is the status.
    if (typeof error?.code === 'string') fault = error;
  } catch {}
  if (fault) return errorOf(fault, about);
  if (status === 429) return errorOf({ code: 'RATE_LIMITED', message: `${origin} answered 429.` }, about);
  if (status >= 500) return new NoAnswerError(`${origin} answered ${status}.`, about);
  return errorOf(
    { code: 'UPLOAD_REFUSED', message: `${origin} refused the bytes (status ${status}).` },
    about,
  );
}
