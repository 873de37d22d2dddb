import type { Server } from 'node:http';
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
  /** Connections, and since which look each has kept something waiting. */
  const open = new Map<Socket, number>();
  let looks = 0;
  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  const look = () => {
    looks++;
    let bytes = 0;
    const waiting: { socket: Socket; since: number }[] = [];
    for (const [socket, known] of open) {
      const since = socket.writableLength === 0 ? 0 : known || looks;
      if (since !== known) open.set(socket, since);
      if (since === 0) continue;
      bytes += socket.writableLength;
      waiting.push({ socket, since });
    }
    if (bytes <= maxBytes) return;
    for (const { socket } of waiting.sort((a, b) => a.since - b.since)) {
      if (bytes <= maxBytes) return;
      bytes -= socket.writableLength;
      socket.destroy();
    }
  };
  const timer = setInterval(look, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}
