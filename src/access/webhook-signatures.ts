import type { Address } from '@srr-gateway/common/address';
import { Webhook } from 'standardwebhooks';
import type { Issuers } from './issuers.ts';

type Headers = Record<string, string | string[] | undefined>;

/** Checks Standard Webhooks signatures, for deployments that put a signer in front of the gateway. */
export class WebhookSignatures {
  #signers = new Map<Address, Webhook[]>();

  constructor(issuers: Issuers) {
    issuers.follow((all) => {
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

  /** Whether this issuer's deliveries must be signed. */
  required(issuer: Address): boolean {
    return this.#signers.has(issuer);
  }

  /**
   * Whether one of the issuer's live secrets signed this body within the last five minutes. A replay within
   * that time is harmless: the event log has the delivery's entries already.
   */
  signed(issuer: Address, headers: Headers, body: Buffer): boolean {
    const given = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(headers[name] ?? ''),
      ]),
    );
    const text = body.toString('utf8');
    return (this.#signers.get(issuer) ?? []).some((signer) => {
      try {
        signer.verify(text, given, { jsonParse: false });
        return true;
      } catch {
        return false;
      }
    });
  }
}
