import type { IncomingMessage } from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { CloseCode, handleProtocols, makeServer, type ServerOptions } from 'graphql-ws';
import type { Extra } from 'graphql-ws/use/ws';
import type { WebSocket, WebSocketServer } from 'ws';

/** Proxies cut a silent connection after 30 to 60 s. A peer that is gone does not answer the ping. */
const pingMs = 12_000;

/** The size limit of a message: a peer that reads what it is sent never leaves more than this unread. */
const maxUnsentBytes = 1_000_000;

/**
 * Speaks graphql-transport-ws on every socket. The library's own adapter prints a stack to the console for
 * each broken frame of a stranger, past the log and its redaction, and tells the client about internal
 * failures.
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
    // Frames that are too long or broken. The close code tells the sender.
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
 * Sends a message. Stops reading from a socket whose peer does not read our replies, until it does: every
 * message may cause a reply, be it a pong or a refusal, and they would pile up in memory.
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

/** Cuts off a peer that has not answered a ping when the next one is due. */
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
