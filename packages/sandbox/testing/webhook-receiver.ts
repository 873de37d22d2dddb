import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the receiver got; `body` is parsed. */
export interface ReceivedDelivery {
  apiKey: string | undefined;
  contentType: string | undefined;
  body: { type: string; version: number; data: Record<string, unknown>[] };
}

/** A running receiver and what it has received. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedDelivery[];
  /** The entries of all deliveries of a type. */
  entries(type: string): Record<string, unknown>[];
  /**
   * The next answers, in order: a status code, no answer at all, or a 200 whose body never ends. 200 when empty.
   */
  readonly answers: (number | 'none' | 'endless')[];
  stop(): Promise<void>;
}

/** Starts a webhook receiver on a free port; tests set its answers. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = [];
  const answers: WebhookReceiver['answers'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      apiKey: request.headers['x-api-key'] as string | undefined,
      contentType: request.headers['content-type'],
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    });
    const answer = answers.shift() ?? 200;
    if (answer === 'none') return;
    if (answer !== 'endless') return response.writeHead(answer).end();
    const dripping = setInterval(() => response.write('.'), 50);
    response.writeHead(200).on('close', () => clearInterval(dripping));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    entries: (type) => received.filter(({ body }) => body.type === type).flatMap(({ body }) => body.data),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
