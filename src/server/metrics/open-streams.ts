import type { ServerResponse } from 'node:http';
import type { Gate } from '../server.ts';

/**
 * Counts open event streams. A request only says what it would accept, so the response's content type
 * decides.
 */
export function openStreams(): { gate: Gate; count(): number } {
  const open = new Set<ServerResponse>();
  return {
    gate: (req, res) => {
      if (!req.headers.accept?.includes('text/event-stream')) return true;
      open.add(res);
      res.once('close', () => open.delete(res));
      return true;
    },
    count: () =>
      [...open].filter((res) => res.getHeader('content-type')?.toString().startsWith('text/event-stream'))
        .length,
  };
}
