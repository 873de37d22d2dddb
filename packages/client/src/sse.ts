import { errorOf } from './errors.ts';
import { NoAnswerError } from './gateway-error.ts';
import {
  type Answer,
  type Http,
  type Operation,
  originOf,
  parsed,
  type RawResult,
  readAll,
  resultOf,
} from './http.ts';

/**
 * One connection of a subscription. Returns when the gateway completes the subscription, and throws when the
 * connection breaks.
 */
export type Subscribe = (operation: Operation, signal: AbortSignal) => AsyncIterable<RawResult>;

/** The gateway sends a heartbeat every 12 s. When two are missing, the connection is dead. */
export const silenceMs = 30_000;

/** Subscriptions by server-sent events: GraphQL over SSE, distinct connections mode. */
export const overSse =
  (http: Http): Subscribe =>
  (operation, signal) =>
    resultsOf(http, operation, signal);

async function* resultsOf(http: Http, operation: Operation, signal: AbortSignal): AsyncGenerator<RawResult> {
  const { url } = http.settings;
  const controller = new AbortController();
  const anySignal = AbortSignal.any([signal, controller.signal]);
  const messages = new Messages();
  const broken = (cause?: unknown) => {
    signal.throwIfAborted();
    const { retryAfter } = messages;
    return new NoAnswerError(`The live connection to ${originOf(url)} was lost.`, { retryAfter, cause });
  };
  const readInTime = <T>(reading: Promise<T>) =>
    inTime(reading, controller).catch((cause: unknown) => {
      throw broken(cause);
    });
  try {
    const response = await readInTime(http.open(url, await requestOf(http, operation, anySignal)));
    const stream = streamOf(response);
    if (!stream) throw refusal(await readInTime(readAll(response, url, signal)), url);
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await readInTime(reader.read());
      if (done) throw broken();
      for (const { event, data } of messages.take(value)) {
        if (event === 'complete') return;
        if (event === 'next') yield resultIn(data, url);
      }
    }
  } finally {
    controller.abort();
  }
}

/** Aborts a silent connection. The timer runs only while reading: a slow caller is not a silent gateway. */
async function inTime<T>(reading: Promise<T>, controller: AbortController): Promise<T> {
  const timer = setTimeout(() => controller.abort(), silenceMs);
  try {
    return await reading;
  } finally {
    clearTimeout(timer);
  }
}

async function requestOf(http: Http, operation: Operation, signal: AbortSignal): Promise<RequestInit> {
  const headers = { ...(await http.headers()), accept: 'text/event-stream' };
  return {
    method: 'POST',
    body: JSON.stringify(operation),
    headers: { ...headers, 'content-type': 'application/json' },
    signal,
  };
}

/** The error for an answer that is not a stream. @throws the error in that answer, if it has one. */
function refusal(answer: Answer, url: string): Error {
  resultOf(parsed(answer, url), answer.circumstances);
  return errorOf({ code: 'BAD_ANSWER', message: `${url} answered a subscription without a stream.` });
}

const streamOf = ({ body, headers }: Response) =>
  headers.get('content-type')?.startsWith('text/event-stream') ? body : null;

function resultIn(data: string, url: string): RawResult {
  try {
    return JSON.parse(data) as RawResult;
  } catch {
    throw errorOf({ code: 'BAD_ANSWER', message: `${url} sent an event that is not JSON.` });
  }
}

interface Message {
  event: string;
  data: string;
  retry?: number;
}

const blankLine = /\r\n\r\n|\n\n|\r\r/;

/** Parses the bytes of an event stream into messages. */
export class Messages {
  /** Seconds to wait before the next connection, from the last message with `retry`. */
  retryAfter: number | undefined;
  readonly #decoder = new TextDecoder();
  /** The text after the last blank line. */
  #rest: string[] = [];
  /** The last characters of it, since a blank line may be split between two pieces. */
  #seam = '';

  *take(bytes: Uint8Array): Generator<Message> {
    const piece = this.#decoder.decode(bytes, { stream: true });
    this.#rest.push(piece);
    this.#seam += piece;
    const hasBlankLine = blankLine.test(this.#seam);
    this.#seam = this.#seam.slice(-3);
    // Searching a long message again for each of its pieces would take quadratic time.
    if (!hasBlankLine) return;
    const blocks = this.#rest.join('').split(blankLine);
    this.#rest = [blocks.pop() ?? ''];
    this.#seam = this.#rest[0]?.slice(-3) ?? '';
    for (const block of blocks) {
      const message = messageOf(block);
      if (message.retry !== undefined) this.retryAfter = message.retry / 1000;
      yield message;
    }
  }
}

function messageOf(block: string): Message {
  const message: Message = { event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') message.event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'retry' && /^\d+$/.test(value)) message.retry = Number(value);
  }
  message.data = data.join('\n');
  return message;
}
