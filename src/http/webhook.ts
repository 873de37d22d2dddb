import type { IncomingMessage } from 'node:http';
import type { WebhookKeys } from '../access/webhook-keys.ts';
import { type ParsedEvent, parseDelivery } from '../events/parse-delivery.ts';
import { type Address, parseAddress } from '../lib/address.ts';
import { GatewayError } from '../lib/errors.ts';
import type { EventType } from '../store/tables.ts';
import { readBody } from './read-body.ts';
import { HttpError, sendJson } from './respond.ts';
import type { Route } from './server.ts';

export interface WebhookDeps {
  keys: WebhookKeys;
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
    matches: (pathname) => pathname === root || pathname.startsWith(`${root}/`),
    handle: async (req, res, url) => {
      const issuer = authenticate(req, url.pathname.slice(root.length + 1), deps.keys);
      if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(req.headers['content-type'] ?? ''))
        throw new HttpError(415, 'Send the delivery as application/json.');
      const events = parseDelivery(parseJson(await readBody(req, deps.maxBytes)), deps.kinds);
      const { stored, repeated } = await deps.store(issuer, events);
      sendJson(res, 200, { stored, repeated });
    },
  };
}

function authenticate(req: IncomingMessage, named: string, keys: WebhookKeys): Address {
  const only = named === '' ? undefined : parseAddress(named);
  if (named !== '' && !only)
    throw new HttpError(404, 'The path must end in an issuer’s address, or before it.');
  const key = req.headers['x-api-key'];
  const issuer = typeof key === 'string' ? keys.issuerOf(key, only) : undefined;
  if (issuer) return issuer;
  throw new GatewayError({
    code: 'UNAUTHENTICATED',
    message: 'The header x-api-key must carry a webhook key of the issuer.',
  });
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
}
