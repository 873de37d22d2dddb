import type { Logger } from '@srr-gateway/common/log';
import type { Issuers } from '../access/issuers.ts';
import type { Commerce } from '../clients/commerce/commerce.ts';
import type { Issuer } from '../config/config.ts';

/**
 * Asks the service whether it takes the configured API keys, at the start and when the issuers change, and logs a
 * warning for each that it refuses. Otherwise nobody would know before an issuer's first call fails. Returns what
 * ends it.
 */
export function checkConfiguredKeys(
  commerce: Pick<Commerce, 'check' | 'verify'>,
  issuers: Issuers,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const taken = new Set<string>();
  let checking = Promise.resolve();

  const check = async (all: readonly Issuer[]) => {
    const asked = all.filter((issuer) => !taken.has(nameOf(issuer)));
    if (asked.length === 0) return;
    const { health, message } = await commerce.check(signal);
    // Keys are sent only to what answers as the service does.
    if (health !== 'OK')
      return log.warn(`COMMERCE_URL does not answer as the issuance service does. ${message}`);
    // One after the other: a list of hundreds must not be a burst of calls.
    for (const issuer of asked) {
      const { address, apiKey } = issuer;
      if (await commerce.verify({ issuer: address, apiKey }, signal)) taken.add(nameOf(issuer));
      else log.warn(`ISSUERS: the service refuses the apiKey of ${address}. Its calls will fail.`);
    }
  };
  issuers.follow((all) => {
    // In the background: a service that is down must not delay the start.
    checking = checking
      .then(() => check(all))
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'the API keys of the issuers could not be checked');
      });
  });
  return async () => {
    stopping.abort();
    await checking;
  };
}

const nameOf = ({ address, apiKey }: Issuer) => `${address} ${apiKey}`;
