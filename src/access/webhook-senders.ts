import type { Address } from '@srr-gateway/common/address';
import { Webhook } from 'standardwebhooks';
import { unauthenticated } from '../model/errors.ts';
import { digest } from './digest.ts';
import type { Issuers } from './issuers.ts';
import type { CallerHeaders } from './request-credentials.ts';

/** Finds the issuer of a delivery by its key, and checks its signature. */
export class WebhookSenders {
  /** The issuers of each key, by its digest. */
  #holders = new Map<string, Set<Address>>();
  /** Issuers whose deliveries must be signed, for deployments with a signer in front of the gateway. */
  #signers = new Map<Address, Webhook[]>();

  constructor(issuers: Issuers) {
    issuers.follow((all) => {
      this.#holders = new Map();
      for (const { address, webhookKeys } of all)
        for (const key of webhookKeys) {
          const holders = this.#holders.get(digest(key)) ?? new Set();
          this.#holders.set(digest(key), holders.add(address));
        }
      this.#signers = new Map(
        all
          .filter(({ signingSecrets }) => signingSecrets.length > 0)
          .map(({ address, signingSecrets }) => [
            address,
            signingSecrets.map((secret) => new Webhook(secret)),
          ]),
      );
    });
  }

  /**
   * The issuer of a delivery with this key. The path names the issuer if several share the key, or if a
   * signature replaces the key.
   * @throws GatewayError UNAUTHENTICATED when there is none, or more than one.
   */
  issuerOf(key: string | undefined, named: Address | undefined): Address {
    const holders = key === undefined ? [] : [...(this.#holders.get(digest(key)) ?? [])];
    if (named) {
      if (holders.includes(named) || this.#onlySigns(named)) return named;
    } else {
      if (holders.length > 1) throw ambiguous();
      if (holders[0]) return holders[0];
    }
    throw unauthenticated('The header x-api-key must have a webhook key of the issuer (webhookKeys).');
  }

  /** Whether only a signature identifies the issuer's deliveries, because it has no webhook key. */
  #onlySigns(issuer: Address): boolean {
    return this.#signers.has(issuer) && ![...this.#holders.values()].some((holders) => holders.has(issuer));
  }

  /**
   * Checks the Standard Webhooks signature, if the issuer's deliveries must have one: one of its secrets signed this
   * body within the last five minutes. A replay within that time is harmless, because the event log has the delivery
   * already.
   * @throws GatewayError UNAUTHENTICATED
   */
  assertSigned(issuer: Address, headers: CallerHeaders, body: Buffer): void {
    const signers = this.#signers.get(issuer);
    if (!signers) return;
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const signatureHeaders = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
    const text = body.toString('utf8');
    const isSigned = signers.some((signer) => {
      try {
        signer.verify(text, signatureHeaders, { jsonParse: false });
        return true;
      } catch {
        return false;
      }
    });
    if (!isSigned) throw unsigned();
  }
}

const ambiguous = () =>
  unauthenticated(
    'Several issuers have this webhook key, so it does not identify the issuer. Send each issuer’s deliveries to its own address: /webhooks/commerce/<issuer address>.',
  );

const unsigned = () =>
  unauthenticated(
    'The headers webhook-id, webhook-timestamp and webhook-signature must carry a signature of this body by one of the issuer’s signing secrets, made within the last five minutes.',
  );
