import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Of all readers together: ten of the longest answers. In memory they take up to three times as much. */
const maxUnreadBytes = 128_000_000;
/** What can come together in between is bounded by the work of answering. */
const lookMs = 1_000;

/**
 * Bounds what waits in memory for readers that do not read: a small question may have an answer of many
 * megabytes, and nothing else ends who asks for one on each of a few hundred connections. While it is too
 * much, who has kept an answer waiting for longest is cut off; others are done long before.
 */
export function boundUnread(server: Server, { maxBytes = maxUnreadBytes, everyMs = lookMs } = {}): void {
  const open = new Map<Socket, Connection>();
  let looks = 0;
  server.on('connection', (socket) => {
    open.set(socket, { since: 0, queued: new Set() });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (req, res) => {
    // Node gives the socket to one answer at a time; what that one has unsent waits in the socket.
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
  /** The look from which on it has kept something waiting; 0: nothing waits. */
  since: number;
  /** To requests that were sent ahead of the answer before them. */
  queued: Set<ServerResponse>;
}

function unreadOf(socket: Socket, { queued }: Connection): number {
  let bytes = socket.writableLength;
  for (const answer of queued) if (!answer.socket) bytes += answer.writableLength;
  return bytes;
}
