import type { SandboxInfo } from '@srr-gateway/sandbox';
import { entry } from '../entries.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** An issuance with the outcome that it must have, whatever happens in between. */
export interface RandomIssuance {
  requestId: string;
  entries: object[];
  expected: { status: 'COMPLETED' | 'REJECTED'; entries: { externalId: string; status: string }[] };
}

/** Prefixes of an externalId that cause a fault but not a failure (packages/sandbox/docs/faults.md). */
const harmlessFaults = [
  'drop-request-',
  'drop-response-',
  'bad-gateway-before-',
  'bad-gateway-after-',
  'late-response-',
  'in-progress-',
  'lose-webhook-',
  'double-webhook-',
  'late-webhook-',
  'reorder-webhook-',
  'retry-nonce-',
] as const;

/** The prefix of an entry whose mining fails permanently. */
const permanentFailure = 'fail-gas-over-allowance-';

/** An issuance of one to three random entries, with or without faults. */
export function randomIssuance(
  random: SeededRandom,
  info: SandboxInfo,
  requestId: string,
  picture: object,
): RandomIssuance {
  const refused = random.chance(0.05);
  const over = refused ? { artistAddress: `0x${'0'.repeat(38)}aa` } : {};
  const beginning = () =>
    random.chance(0.7) ? '' : random.chance(0.1) ? permanentFailure : random.pick(harmlessFaults);
  const names = Array.from({ length: random.integer(1, 3) }, (_, i) => `${beginning()}${requestId}-${i}`);
  return {
    requestId,
    entries: names.map((name) => entry(info, name, picture, over)),
    expected: {
      status: refused ? 'REJECTED' : 'COMPLETED',
      entries: names.map((externalId) => ({
        externalId,
        status: refused || externalId.startsWith(permanentFailure) ? 'FAILED' : 'ISSUED',
      })),
    },
  };
}
