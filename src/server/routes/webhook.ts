import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { Issuers } from '../../access/issuers.ts';
import { WebhookSenders } from '../../access/webhook-senders.ts';
import type { Stored } from '../../events/append-deliveries.ts';
import { type DeliveryReading, parseDelivery } from '../../events/parse-delivery.ts';
import { HttpError } from '../../lib/http-error.ts';
import { readBody } from '../../lib/read-body.ts';
import { sendJson } from '../../lib/send.ts';
import { addAttributes } from '../../observability/trace.ts';
import type { NewEvent } from '../../store/append-events.ts';
import type { Route } from '../server.ts';

export interface WebhookDeps {
  issuers: Issuers;
  reading: DeliveryReading;
  maxBytes: number;
  /** Resolves after the commit; rejects if it failed. */
  store(issuer: Address, events: NewEvent[]): Promise<Stored>;
}

const root = '/webhooks/commerce';

/**
 * Receives deliveries of the issuance service. 2xx means stored and committed. The sender retries any other status.
 * 5xx is only for a database that is down, where a retry helps; all else is a 4xx.
 */
export function webhookRoutes(deps: WebhookDeps): Route[] {
  const senders = new WebhookSenders(deps.issuers);
  return [root, `${root}/*`].map((path) => ({
    method: 'POST',
    path,
    span: root,
    handle: async (req, res, url) => {
      const key = req.headers['x-api-key'];
      const issuerInPath = namedIn(url.pathname);
      const issuer = senders.issuerOf(typeof key === 'string' ? key : undefined, issuerInPath);
      checkContent(req);
      const body = await readBody(req, deps.maxBytes);
      senders.assertSigned(issuer, req.headers, body);
      // Invalid UTF-8 becomes U+FFFD instead of a refusal: a refused sender gives up, and the ids of its report would
      // be lost.
      const events = parseDelivery(body.toString('utf8'), deps.reading);
      const { stored, repeated } = await deps.store(issuer, events);
      addAttributes({ 'srr.events.stored': stored, 'srr.events.repeated': repeated });
      sendJson(res, 200, { stored, repeated });
    },
  }));
}

/** The issuer that the path names, if it names one. */
function namedIn(pathname: string): Address | undefined {
  const issuerInPath = pathname.slice(root.length + 1);
  if (issuerInPath === '') return undefined;
  const issuer = parseAddress(issuerInPath);
  if (issuer) return issuer;
  throw new HttpError(
    404,
    'The path ends in something that is no address. Send to /webhooks/commerce, with or without /<issuer address>.',
  );
}

function checkContent({ headers }: IncomingMessage): void {
  if (!/^(application|text)\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new HttpError(415, 'Send the delivery as application/json.');
}
