import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLCaller } from '../graphql-caller.ts';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message } }
}`;
const outcome = `query ($requestId: String!) { issuance(requestId: $requestId) {
  status history { status reason at } entries { edges { node { externalId status srr { tokenId } } } }
} }`;

export interface Outcome {
  status: string;
  history: { status: string; reason: string; at: string }[];
  entries: { externalId: string; status: string; tokenId: string | undefined }[];
}

interface OutcomeAnswer extends Omit<Outcome, 'entries'> {
  entries: { edges: { node: { externalId: string; status: string; srr: { tokenId: string } | null } }[] };
}

/** A client that repeats a request until it has a response, as docs/guarantees.md requires of clients. */
export interface RetryingClient {
  upload(filename: string): Promise<{ upload: string }>;
  issue(requestId: string, entries: object[]): Promise<void>;
  outcome(requestId: string): Promise<Outcome>;
  /** Waits for the final status. */
  finish(requestId: string): Promise<Outcome>;
}

export interface RetryOptions {
  /** Called before each retry of a request without response. */
  beforeRetry?: () => Promise<void>;
  /** Whether to retry a response with errors too, for tests in which the store is unavailable at times. */
  retryErrors?: boolean;
}

/** Covers the lease of a dead worker, RECONCILE_AFTER and all steps of the work, on a slow machine. */
const maxRetryMs = 240_000;
const finalStatuses = ['COMPLETED', 'REJECTED', 'CANCELLED'];
const transientCodes = /^(UPSTREAM_|RATE_LIMITED)/;

export function retryingClient(caller: GraphQLCaller, options: RetryOptions = {}): RetryingClient {
  const pause = options.beforeRetry ?? (() => sleep(50));
  async function retryUntilAnswered<T>(call: () => Promise<T>): Promise<T> {
    for (const giveUpAt = Date.now() + maxRetryMs; ; ) {
      try {
        return await call();
      } catch (error) {
        // `fetch` throws these when the connection was refused or broke.
        const beforeRetry = error instanceof TypeError || (error as Error).name === 'SocketError';
        if (!(beforeRetry || options.retryErrors) || Date.now() > giveUpAt) throw error;
        await pause();
      }
    }
  }
  const read = async (requestId: string): Promise<Outcome> => {
    const { issuance } = await retryUntilAnswered(() => caller.data(outcome, { requestId }));
    if (!issuance) throw new Error(`The issuance "${requestId}" was answered and is not there.`);
    const { entries, ...rest } = issuance as OutcomeAnswer;
    return {
      ...rest,
      entries: entries.edges.map(({ node: { srr, ...entry } }) => ({ ...entry, tokenId: srr?.tokenId })),
    };
  };
  return {
    upload: async (filename) => ({
      upload: await retryUntilAnswered(() => caller.upload(filename, 'NON_ATTACHMENT_FILE', filename)),
    }),
    async issue(requestId, entries) {
      for (const giveUpAt = Date.now() + maxRetryMs; ; await sleep(200)) {
        const { issueSRRs } = await retryUntilAnswered(() =>
          caller.data(issue, { input: { requestId, entries } }),
        );
        if (issueSRRs.issuance) return;
        const faults = issueSRRs.userErrors as { code: string }[];
        if (Date.now() > giveUpAt || !faults.every(({ code }) => transientCodes.test(code)))
          throw new Error(`"${requestId}" was refused: ${JSON.stringify(faults)}`);
      }
    },
    outcome: read,
    async finish(requestId) {
      for (const giveUpAt = Date.now() + maxRetryMs; ; await sleep(100)) {
        const seen = await read(requestId);
        if (finalStatuses.includes(seen.status)) return seen;
        if (Date.now() > giveUpAt)
          throw new Error(`"${requestId}" did not end:\n${JSON.stringify(seen, null, 1)}`);
      }
    },
  };
}
