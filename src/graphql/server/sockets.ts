import type { IncomingMessage } from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { CloseCode, handleProtocols, makeServer, type ServerOptions } from 'graphql-ws';
import type { Extra } from 'graphql-ws/use/ws';
import type { WebSocket, WebSocketServer } from 'ws';

/** Proxies cut a silent connection after 30 to 60 s; a peer that is gone answers no ping. */
const pingMs = 12_000;

/** As large as a message may be: who follows what is sent to it never leaves more than this. */
const maxUnsentBytes = 1_000_000;

/**
 * Speaks graphql-transport-ws on every socket. The library's own adapter writes a stack to the console for each
 * broken frame of a stranger, past the log and what it takes out, and tells the client what failed inside.
 */
export function speakGraphQL(
  sockets: WebSocketServer,
  options: ServerOptions<Record<string, unknown>, Extra>,
  log: Logger,
): void {
  const protocol = makeServer(options);
  sockets.options.handleProtocols = handleProtocols;
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const failed = (error: unknown) => {
      log.error({ err: error }, 'a socket failed');
      socket.close(CloseCode.InternalServerError, 'Internal server error');
    };
    // Frames that are too long or broken: the sender is told by the code that it is closed with.
    socket.on('error', (error) => log.debug({ err: error }, 'a socket was cut'));
    const stopPings = keepAlive(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => sent(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) => socket.on('message', (data) => void take(String(data)).catch(failed)),
      },
      { socket, request },
    );
    socket.once('close', (code, reason) => {
      stopPings();
      closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, 'a socket failed'));
    });
  });
}

/**
 * Each message may have an answer, be it a pong or a refusal: from who does not take them, no more are read
 * until it does.
 */
function sent(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve, reject) => {
    socket.send(text, (error) => {
      if (socket.isPaused && socket.bufferedAmount <= maxUnsentBytes) socket.resume();
      if (error) reject(error);
      else resolve();
    });
    if (socket.bufferedAmount > maxUnsentBytes) socket.pause();
  });
}

/** Cuts off who has not answered a ping by the time of the next one. */
function keepAlive(socket: WebSocket): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, pingMs);
  return () => clearInterval(timer);
}
