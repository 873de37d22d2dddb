import type { Logger } from '@srr-gateway/common/log';
import { backoff, sleep } from '@srr-gateway/common/time';
import type { Issuers } from '../access/issuers.ts';
import type { Commerce } from '../clients/commerce/commerce.ts';
import type { Issuer } from '../config/config.ts';

/** A service that starts with the gateway is up in seconds; an outage may take an hour. */
const pause = { firstMs: 5_000, maxMs: 60_000 };

/**
 * Checks the configured API keys with the service, at the start and when the issuers change, and logs a warning for
 * each that it refuses. Otherwise nobody would know until an issuer's first call fails. A service that does not
 * answer is asked again. Returns the function that ends this.
 */
export function checkConfiguredKeys(
  commerce: Pick<Commerce, 'check' | 'verify'>,
  issuers: Issuers,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Keys that the service has accepted or refused. */
  const answered = new Set<string>();
  let configured: readonly Issuer[] = [];
  let checking = Promise.resolve();

  /** Asks about the keys that have no answer yet. Returns why the service cannot be asked, if it cannot. */
  const ask = async (): Promise<{ err?: unknown; message: string } | undefined> => {
    const unchecked = configured.filter((issuer) => !answered.has(nameOf(issuer)));
    if (unchecked.length === 0) return undefined;
    const { health, message } = await commerce.check(signal);
    // Keys are sent only to a server that answers like the service.
    if (health !== 'OK')
      return { message: `COMMERCE_URL does not answer as the issuance service does. ${message}` };
    // Sequential: a list of hundreds must not be a burst of calls.
    for (const issuer of unchecked) {
      const { address, apiKey } = issuer;
      if (!(await commerce.verify({ issuer: address, apiKey }, signal)))
        log.warn(`ISSUERS: the service refuses the apiKey of ${address}. Its calls will fail.`);
      answered.add(nameOf(issuer));
    }
    return undefined;
  };
  const askUntilAnswered = async () => {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const failed = await ask().catch((err: unknown) => ({
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
    // In the background: a service that is down must not delay the start.
    checking = checking.then(askUntilAnswered);
  });
  return async () => {
    stopping.abort();
    await checking;
  };
}

const nameOf = ({ address, apiKey }: Issuer) => `${address} ${apiKey}`;
