import type { SandboxInfo } from '@srr-gateway/sandbox';
import { entry } from '../entries.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** What an issuance must come to, whatever happens on its way. */
export interface AskedIssuance {
  requestId: string;
  entries: object[];
  expected: { status: 'COMPLETED' | 'REJECTED'; entries: { externalId: string; status: string }[] };
}

/** Beginnings of an externalId that make the service fail on its entry (packages/sandbox/docs/faults.md), yet issue it. */
const troubles = [
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

/** Fails at its first attempt to be mined, for good. */
const unminable = 'fail-gas-over-allowance-';

/** An issuance of one to three entries: half of it plain, the other half in one trouble or several. */
export function askedIssuance(
  random: SeededRandom,
  info: SandboxInfo,
  requestId: string,
  picture: object,
): AskedIssuance {
  const refused = random.chance(0.05);
  const over = refused ? { artistAddress: `0x${'0'.repeat(38)}aa` } : {};
  const beginning = () => (random.chance(0.7) ? '' : random.chance(0.1) ? unminable : random.pick(troubles));
  const names = Array.from({ length: random.integer(1, 3) }, (_, i) => `${beginning()}${requestId}-${i}`);
  return {
    requestId,
    entries: names.map((name) => entry(info, name, picture, over)),
    expected: {
      status: refused ? 'REJECTED' : 'COMPLETED',
      entries: names.map((externalId) => ({
        externalId,
        status: refused || externalId.startsWith(unminable) ? 'FAILED' : 'ISSUED',
      })),
    },
  };
}
