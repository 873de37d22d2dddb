import { errorOf } from './errors.ts';
import { type Fault, NoAnswerError } from './gateway-error.ts';
import { type Http, originOf, type RawResult } from './http.ts';
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

/** Subscriptions by the protocol graphql-transport-ws, each over its own WebSocket. */
export function overWebSocket(http: Http, Class: SocketClass | undefined): Subscribe {
  return async function* (operation, signal) {
    signal.throwIfAborted();
    if (!Class) throw new TypeError('There is no global WebSocket here: give `webSocketImpl`.');
    const page = (globalThis as { location?: { href: string } }).location?.href;
    const url = new URL(http.settings.url, page).href.replace(/^http/, 'ws');
    const headers = await http.headers();
    // An abort meanwhile fires no event any more.
    signal.throwIfAborted();
    const socket = new Class(url, 'graphql-transport-ws');
    const waiting: Message[] = [];
    let wake = () => {};
    let closed: Error | undefined;
    let heardAt = Date.now();
    // Before the acknowledgement only the handshake may be sent.
    let acknowledged = false;
    const close = (error: Error) => {
      acknowledged = false;
      closed ??= error;
      wake();
    };
    const say = (message: object) => socket.send(JSON.stringify(message));
    const lost = (code = 0) =>
      new NoAnswerError(
        `The live connection to ${originOf(http.settings.url)} was lost${code ? ` (${code})` : ''}.`,
      );
    socket.addEventListener('open', () => say({ type: 'connection_init', payload: headers }));
    socket.addEventListener('message', ({ data }) => {
      // Messages in the queue are still delivered, but none is added after the close.
      if (closed) return;
      heardAt = Date.now();
      let message: Message;
      try {
        message = JSON.parse(String(data)) as Message;
      } catch {
        // Thrown here, it would end the process.
        return close(errorOf({ code: 'BAD_ANSWER', message: `${url} sent a message that is not JSON.` }));
      }
      if (message.type === 'connection_ack') {
        acknowledged = true;
        say({ id: '1', type: 'subscribe', payload: operation });
      } else if (message.type === 'ping') say({ type: 'pong' });
      else if (message.type !== 'pong') waiting.push(message);
      // A socket cannot be paused. `follow` goes on from its last event.
      if (waiting.length > maxWaiting) close(lost());
      wake();
    });
    socket.addEventListener('error', () => close(lost()));
    socket.addEventListener('close', ({ code, reason }) => close(closeError(code, reason) ?? lost(code)));
    const leave = () => close(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    const pings = setInterval(() => {
      if (Date.now() - heardAt > silenceMs) close(lost());
      else if (acknowledged) say({ type: 'ping' });
    }, pingMs);
    try {
      for (;;) {
        const message = waiting.shift();
        if (message?.type === 'next') yield message.payload as RawResult;
        else if (message?.type === 'error') yield { errors: message.payload as readonly Fault[] };
        else if (message?.type === 'complete') return;
        else if (closed) throw closed;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      clearInterval(pings);
      signal.removeEventListener('abort', leave);
      socket.close(1000);
    }
  };
}

/** The error for close codes that a retry would not change. */
function closeError(code: number, reason: string): Error | undefined {
  const message = reason || `The gateway closed the connection with ${code}.`;
  if (code === 4401 || code === 4403) return errorOf({ code: 'UNAUTHENTICATED', message });
  return code >= 4400 && code < 4500 && code !== 4408 && code !== 4429
    ? errorOf({ code: 'BAD_ANSWER', message })
    : undefined;
}
