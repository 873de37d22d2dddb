import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { serve } from './http-server.ts';

export const receiverSecret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** A delivery that was verified by the reference library of Standard Webhooks. */
export interface Delivered {
  id: string;
  type: string;
  timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events untyped
  data: any;
  signatures: string[];
  at: number;
}

export interface Receiver {
  url: string;
  /** All verified deliveries, including challenges and tests. */
  all: Delivered[];
  /** The deliveries of events. */
  events(): Delivered[];
  externalIds(): string[];
}

/** The response of a receiver: a status, or undefined if the function responds itself. The default is 200. */
type Respond = (
  message: Delivered,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

/** A partner's server on loopback. A delivery with a wrong signature gets 401, and is not in `all`. */
export async function receiver(respond: Respond = () => 200, secret = receiverSecret): Promise<Receiver> {
  const all: Delivered[] = [];
  const server = await serve(async ({ body, headers }, response) => {
    try {
      new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
    } catch {
      return response.writeHead(401).end('wrong signature');
    }
    const message: Delivered = {
      ...JSON.parse(body.toString()),
      id: headers['webhook-id'],
      signatures: String(headers['webhook-signature']).split(' '),
      at: Date.now(),
    };
    all.push(message);
    const status = await respond(message, response);
    if (status !== undefined) response.writeHead(status).end(status < 300 ? '' : 'not today');
  });
  const events = () => all.filter(({ type }) => type !== 'CHALLENGE' && type !== 'TEST');
  return {
    url: `${server.url}/hook`,
    all,
    events,
    externalIds: () => events().map(({ data }) => data.externalId),
  };
}
