import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For all readers together: ten of the longest responses. In memory they take up to three times as much. */
const maxUnreadBytes = 128_000_000;
/** What can pile up between two checks is bounded by the time that it takes to produce responses. */
const lookMs = 1_000;

/**
 * Bounds the memory of responses that their readers do not read: a small query may have a response of many
 * megabytes, and nothing else stops a reader who asks for one on each of a few hundred connections. While the
 * total is too high, the connections that have waited longest are cut off; other readers have finished long
 * before.
 */
export function boundUnread(server: Server, { maxBytes = maxUnreadBytes, everyMs = lookMs } = {}): void {
  const open = new Map<Socket, Connection>();
  let looks = 0;
  server.on('connection', (socket) => {
    open.set(socket, { since: 0, queued: new Set() });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (req, res) => {
    // Node assigns the socket to one response at a time. What that response has not sent is counted in the
    // socket.
    if (res.socket) return;
    const answers = open.get(req.socket)?.queued.add(res);
    res.once('close', () => answers?.delete(res));
  });
  const look = () => {
    looks++;
    let bytes = 0;
    const waiting: { socket: Socket; since: number; unread: number }[] = [];
    for (const [socket, connection] of open) {
      const unread = unreadOf(socket, connection);
      connection.since = unread === 0 ? 0 : connection.since || looks;
      if (unread === 0) continue;
      bytes += unread;
      waiting.push({ socket, since: connection.since, unread });
    }
    for (const { socket, unread } of waiting.sort((a, b) => a.since - b.since)) {
      if (bytes <= maxBytes) return;
      bytes -= unread;
      socket.destroy();
    }
  };
  const timer = setInterval(look, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}

interface Connection {
  /** The number of the check since which something has waited unread; 0: nothing waits. */
  since: number;
  /** Responses to pipelined requests that do not have the socket yet. */
  queued: Set<ServerResponse>;
}

function unreadOf(socket: Socket, { queued }: Connection): number {
  let bytes = socket.writableLength;
  for (const answer of queued) if (!answer.socket) bytes += answer.writableLength;
  return bytes;
}
