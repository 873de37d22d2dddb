import { errorOf } from './errors.ts';
import { type Fault, NoAnswerError } from './gateway-error.ts';
import { type Http, type Operation, originOf, type RawResult } from './http.ts';
import { type Subscribe, silenceMs } from './sse.ts';

/** The part of the browser's `WebSocket` that the client uses. `ws` has it too. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}
/** The constructor of a WebSocket. */
export type SocketClass = new (url: string, protocol: string) => Socket;

interface Message {
  type: string;
  payload?: RawResult | readonly Fault[];
}

/** Pings, which the gateway answers, show that a quiet connection is alive. */
const pingMs = silenceMs / 3;

/** Messages that wait for a slow reader. The gateway sends a whole log as fast as the network takes it. */
const maxWaiting = 1_000;

/** Messages that were received but not read yet. */
class Inbox {
  readonly #waiting: Message[] = [];
  #closed: Error | undefined;
  #wake = () => {};

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** False when too many wait. Then close the socket, which cannot be paused; `follow` resumes after its last event. */
  add(message: Message): boolean {
    this.#waiting.push(message);
    this.#wake();
    return this.#waiting.length <= maxWaiting;
  }

  /** Lets `next` throw this error, once it has returned what came before. */
  close(error: Error): void {
    this.#closed ??= error;
    this.#wake();
  }

  async next(): Promise<Message> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message) return message;
      if (this.#closed) throw this.#closed;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Subscriptions by the protocol graphql-transport-ws, each over its own WebSocket. */
export const overWebSocket =
  (http: Http, Class: SocketClass | undefined): Subscribe =>
  (operation, signal) =>
    resultsOf(http, Class, operation, signal);

async function* resultsOf(
  http: Http,
  Class: SocketClass | undefined,
  operation: Operation,
  signal: AbortSignal,
): AsyncGenerator<RawResult> {
  if (!Class) throw new TypeError('There is no global WebSocket here: give `webSocketImpl`.');
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const url = new URL(http.settings.url, page).href.replace(/^http/, 'ws');
  const headers = await http.headers();
  // A signal that has aborted fires no event.
  signal.throwIfAborted();
  const socket = new Class(url, 'graphql-transport-ws');
  const inbox = new Inbox();
  let lastMessageAt = Date.now();
  // Before the acknowledgement only the handshake may be sent.
  let acknowledged = false;
  const close = (error: Error) => inbox.close(error);
  const send = (message: object) => socket.send(JSON.stringify(message));
  const lost = (code = 0) =>
    new NoAnswerError(
      `The live connection to ${originOf(http.settings.url)} was lost${code ? ` (${code})` : ''}.`,
    );
  socket.addEventListener('open', () => send({ type: 'connection_init', payload: headers }));
  socket.addEventListener('message', ({ data }) => {
    if (inbox.isClosed) return;
    lastMessageAt = Date.now();
    const message = messageIn(data);
    // An error thrown in this listener would end the process.
    if (!message)
      return close(errorOf({ code: 'BAD_ANSWER', message: `${url} sent a message that is not JSON.` }));
    if (message.type === 'connection_ack') {
      acknowledged = true;
      send({ id: '1', type: 'subscribe', payload: operation });
    } else if (message.type === 'ping') send({ type: 'pong' });
    else if (message.type !== 'pong' && !inbox.add(message)) close(lost());
  });
  socket.addEventListener('error', () => close(lost()));
  socket.addEventListener('close', ({ code, reason }) => close(closeError(code, reason) ?? lost(code)));
  const onAbort = () => close(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  const pings = setInterval(() => {
    if (Date.now() - lastMessageAt > silenceMs) close(lost());
    else if (acknowledged) send({ type: 'ping' });
  }, pingMs);
  try {
    for (;;) {
      const { type, payload } = await inbox.next();
      if (type === 'complete') return;
      if (type === 'next') yield payload as RawResult;
      if (type === 'error') yield { errors: payload as readonly Fault[] };
    }
  } finally {
    clearInterval(pings);
    signal.removeEventListener('abort', onAbort);
    socket.close(1000);
  }
}

function messageIn(data: unknown): Message | undefined {
  try {
    return JSON.parse(String(data)) as Message;
  } catch {
    return undefined;
  }
}

/** The error for close codes that a retry would not change. 4408 means that the handshake took too long. */
function closeError(code: number, reason: string): Error | undefined {
  const message = reason || `The gateway closed the connection with ${code}.`;
  return code >= 4400 && code < 4500 && code !== 4408 ? errorOf({ code: 'BAD_ANSWER', message }) : undefined;
}
