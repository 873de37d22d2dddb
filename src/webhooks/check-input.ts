import { jsonbFault } from '../lib/jsonb-safe.ts';
import { isSigningSecret } from '../lib/signing-secret.ts';
import { GatewayError } from '../model/errors.ts';
import type { EventType } from '../model/event-type.ts';
import type { SendResult } from './sender.ts';

/** A longer one is data rather than an address, and an index entry takes 2,704 bytes at most. */
const maxUrlLength = 2_000;
/** A name for people, not a document. */
const maxDescriptionLength = 500;

export const invalid = (name: string, message: string, upstreamMessage?: string | null) =>
  new GatewayError({
    code: 'INVALID_INPUT',
    message,
    path: ['input', name],
    ...(upstreamMessage && { upstreamMessage }),
  });

/** @throws GatewayError INVALID_INPUT when deliveries cannot be sent to this address. */
export function checkUrl(text: string): string {
  const url = URL.parse(text);
  // Measure what is sent and stored: percent-encoding turns one character into up to nine.
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > maxUrlLength)
    throw invalid(
      'url',
      `url must be an https:// address of at most ${maxUrlLength} characters, percent-encoded.`,
    );
  if (url.username || url.password)
    throw invalid(
      'url',
      'url must have no user and password. Deliveries are signed: check webhook-signature instead.',
    );
  if (url.hash) throw invalid('url', 'url must have no fragment (#…): it would not be sent.');
  return url.href;
}

/** @throws GatewayError INVALID_INPUT for a list that no event matches. */
export function checkTypes(types: EventType[] | null | undefined): EventType[] | null {
  if (types == null) return null;
  if (types.length === 0)
    throw invalid('types', 'types must name an event type. Leave it out for all types.');
  return [...new Set(types)];
}

export function checkDescription(text: string | null | undefined): string | null {
  if (text == null) return null;
  if (text.length > maxDescriptionLength)
    throw invalid('description', `description must have at most ${maxDescriptionLength} characters.`);
  const fault = jsonbFault(text);
  if (fault) throw invalid('description', `description ${fault.why}, which cannot be stored.`);
  return text;
}

/** @throws GatewayError INVALID_INPUT, which does not quote the secret. */
export function checkSecret(secret: string): string {
  if (isSigningSecret(secret)) return secret;
  throw invalid(
    'secret',
    'secret must be whsec_ and 24 to 64 random bytes in base64 (echo "whsec_$(openssl rand -base64 32)"). Leave it out to let the gateway draw one.',
  );
}

/** @throws GatewayError INVALID_INPUT that says how the address answered the challenge. */
export function checkChallenge({ outcome, attempt }: SendResult): void {
  if (outcome === 'ACCEPTED') return;
  const reason =
    attempt.status === null
      ? `No answer came to the challenge: ${attempt.error}`
      : `The address answered the challenge with HTTP ${attempt.status}.`;
  throw invalid(
    'url',
    `${reason} It must answer 2xx to a signed POST of type CHALLENGE before deliveries are sent to it.`,
    attempt.excerpt,
  );
}
