import type { IncomingMessage } from 'node:http';
import type { WebhookKeys } from '../access/webhook-keys.ts';
import type { WebhookSignatures } from '../access/webhook-signatures.ts';
import { type ParsedEvent, parseDelivery } from '../events/parse-delivery.ts';
import { type Address, parseAddress } from '../lib/address.ts';
import { GatewayError } from '../lib/errors.ts';
import { note } from '../lib/tracing/trace.ts';
import type { EventType } from '../store/tables.ts';
import { readBody } from './read-body.ts';
import { HttpError, sendJson } from './respond.ts';
import type { Route } from './server.ts';

export interface WebhookDeps {
  keys: WebhookKeys;
  signatures: WebhookSignatures;
  kinds: Record<string, EventType>;
  maxBytes: number;
  /** Commits before it returns; throws when it could not. */
  store(issuer: Address, events: ParsedEvent[]): Promise<{ stored: number; repeated: number }>;
}

const root = '/webhooks/commerce';

/**
 * Takes in deliveries of the issuance service. 2xx means stored and committed; everything else makes the
 * sender try again, so what cannot get better by repetition is answered 4xx and nothing is a 5xx but a
 * store that is down.
 */
export function webhookRoute(deps: WebhookDeps): Route {
  return {
    method: 'POST',
    span: root,
    matches: (pathname) => pathname === root || pathname.startsWith(`${root}/`),
    handle: async (req, res, url) => {
      const issuer = authenticate(req, url.pathname.slice(root.length + 1), deps);
      checkContent(req);
      const body = await readBody(req, deps.maxBytes);
      if (deps.signatures.required(issuer) && !deps.signatures.signed(issuer, req.headers, body))
        throw unsigned();
      const events = parseDelivery(parseJson(body), deps.kinds);
      const { stored, repeated } = await deps.store(issuer, events);
      note({ 'srr.events.stored': stored, 'srr.events.repeated': repeated });
      sendJson(res, 200, { stored, repeated });
    },
  };
}

/** Whose delivery it is, by its key; or by its path, where a signature takes the place of keys. */
function authenticate(req: IncomingMessage, named: string, { keys, signatures }: WebhookDeps): Address {
  const only = named === '' ? undefined : parseAddress(named);
  if (named !== '' && !only)
    throw new HttpError(
      404,
      'The path ends in something that is no address. Send to /webhooks/commerce, with or without /<issuer address>.',
    );
  const key = req.headers['x-api-key'];
  const issuer = typeof key === 'string' ? keys.issuerOf(key, only) : undefined;
  if (issuer) return issuer;
  if (only && signatures.required(only) && !keys.has(only)) return only;
  throw new GatewayError({
    code: 'UNAUTHENTICATED',
    message: 'The header x-api-key must carry a webhook key of the issuer.',
  });
}

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

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
}
