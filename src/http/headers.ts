import type { IncomingMessage } from 'node:http';
import type { HeaderSource } from '../access/authenticate.ts';

/** Node's headers, seen as the Fetch API shows them. */
export function headersOf(req: Pick<IncomingMessage, 'headers'>): HeaderSource {
  return {
    get: (name) => {
      const value = req.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
    },
  };
}
