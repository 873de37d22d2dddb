import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { Issuers } from '../../access/issuers.ts';
import { WebhookKeys } from '../../access/webhook-keys.ts';
import { WebhookSignatures } from '../../access/webhook-signatures.ts';
import { type DeliveryReading, parseDelivery } from '../../events/parse-delivery.ts';
import { HttpError } from '../../lib/http-error.ts';
import { readBody } from '../../lib/read-body.ts';
import { GatewayError } from '../../model/errors.ts';
import { addAttributes } from '../../observability/trace.ts';
import type { NewEvent } from '../../store/append-events.ts';
import { sendJson } from '../response.ts';
import type { Route } from '../server.ts';

/** What the webhook route needs to check a delivery and to store it. */
export interface WebhookDeps {
  issuers: Issuers;
  reading: DeliveryReading;
  maxBytes: number;
  /** Commits before it resolves; rejects when it could not. */
  store(issuer: Address, events: NewEvent[]): Promise<{ stored: number; repeated: number }>;
}

const root = '/webhooks/commerce';

/**
 * Receives deliveries of the issuance service. 2xx means stored and committed. The sender retries every
 * other answer, so 5xx is only for a database that is down, where a retry helps; all else is a 4xx.
 */
export function webhookRoutes(deps: WebhookDeps): Route[] {
  const keys = new WebhookKeys(deps.issuers);
  const signatures = new WebhookSignatures(deps.issuers);
  const route: Omit<Route, 'path'> = {
    method: 'POST',
    span: root,
    handle: async (req, res, url) => {
      const issuer = authenticate(req, url.pathname.slice(root.length + 1), keys, signatures);
      checkContent(req);
      const body = await readBody(req, deps.maxBytes);
      if (signatures.required(issuer) && !signatures.signed(issuer, req.headers, body)) throw unsigned();
      const events = parseDelivery(body.toString('utf8'), deps.reading);
      const { stored, repeated } = await deps.store(issuer, events);
      addAttributes({ 'srr.events.stored': stored, 'srr.events.repeated': repeated });
      sendJson(res, 200, { stored, repeated });
    },
  };
  return [
    { ...route, path: root },
    { ...route, path: `${root}/*` },
  ];
}

/**
 * Finds the issuer of a delivery by its key. The path names the issuer where several share the key, or where
 * a signature replaces it.
 */
function authenticate(
  req: IncomingMessage,
  named: string,
  keys: WebhookKeys,
  signatures: WebhookSignatures,
): Address {
  const only = named === '' ? undefined : parseAddress(named);
  if (named !== '' && !only)
    throw new HttpError(
      404,
      'The path ends in something that is no address. Send to /webhooks/commerce, with or without /<issuer address>.',
    );
  const key = req.headers['x-api-key'];
  const holders = typeof key === 'string' ? keys.issuersOf(key) : [];
  if (only && holders.includes(only)) return only;
  if (!only && holders.length > 1) throw ambiguous();
  if (!only && holders[0]) return holders[0];
  if (only && signatures.required(only) && !keys.has(only)) return only;
  throw new GatewayError({
    code: 'UNAUTHENTICATED',
    message: 'The header x-api-key must carry a webhook key of the issuer.',
  });
}

const ambiguous = () =>
  new GatewayError({
    code: 'UNAUTHENTICATED',
    message: `Several issuers have this webhook key, so that it does not say whose delivery this is. Send each issuer’s deliveries to its own address: ${root}/<issuer address>.`,
  });

const unsigned = () =>
  new GatewayError({
    code: 'UNAUTHENTICATED',
    message:
      'The headers webhook-id, webhook-timestamp and webhook-signature must carry a signature of this body by one of the issuer’s signing secrets, made within the last five minutes.',
  });

function checkContent({ headers }: IncomingMessage): void {
  if (!/^(application|text)\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new HttpError(415, 'Send the delivery as application/json.');
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw new HttpError(415, 'Send the delivery uncompressed.');
}
