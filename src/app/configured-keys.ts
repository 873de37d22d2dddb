import type { Logger } from '@srr-gateway/common/log';
import { backoff, sleep } from '@srr-gateway/common/time';
import type { Issuers } from '../access/issuers.ts';
import type { Commerce } from '../clients/commerce/commerce.ts';
import type { Issuer } from '../config/config.ts';

/** A service that starts with the gateway is up in seconds; an outage may take an hour. */
const pause = { firstMs: 5_000, maxMs: 60_000 };

/**
 * Asks the service whether it accepts the configured API keys, at the start and when the issuers change, and logs a
 * warning for each refused key. Otherwise nobody would know before an issuer's first call fails. A service that does
 * not answer is asked again. Returns a function that stops the check.
 */
export function checkConfiguredKeys(
  commerce: Pick<Commerce, 'check' | 'verify'>,
  issuers: Issuers,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Keys that the service has accepted or refused. */
  const checked = new Set<string>();
  let configured: readonly Issuer[] = [];
  let checking = Promise.resolve();

  /** Checks the keys that have no answer yet. Returns the reason if the service cannot be asked. */
  const check = async (): Promise<{ err?: unknown; message: string } | undefined> => {
    const unchecked = configured.filter((issuer) => !checked.has(nameOf(issuer)));
    if (unchecked.length === 0) return undefined;
    const { health, message } = await commerce.check(signal);
    // Send keys only to a server that answers like the service.
    if (health !== 'OK')
      return { message: `COMMERCE_URL does not answer as the issuance service does. ${message}` };
    // One after the other: a list of hundreds must not be a burst of calls.
    for (const issuer of unchecked) {
      const { address, apiKey } = issuer;
      if (!(await commerce.verify({ issuer: address, apiKey }, signal)))
        log.warn(`ISSUERS: the service refuses the apiKey of ${address}. Its calls will fail.`);
      checked.add(nameOf(issuer));
    }
    return undefined;
  };
  const checkUntilAnswered = async () => {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const failed = await check().catch((err: unknown) => ({
        err,
        message: 'The API keys of the issuers could not be checked.',
      }));
      if (!failed || signal.aborted) return;
      if (attempt === 0) log.warn({ err: failed.err }, failed.message);
      await sleep(backoff(attempt, pause), signal).catch(() => {});
    }
  };
  issuers.follow((all) => {
    configured = all;
    // Check in the background: a service that is down must not delay the start.
    checking = checking.then(checkUntilAnswered);
  });
  return async () => {
    stopping.abort();
    await checking;
  };
}

const nameOf = ({ address, apiKey }: Issuer) => `${address} ${apiKey}`;
