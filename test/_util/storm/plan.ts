import { SeededRandom } from '../seeded-random.ts';

export interface Delivery {
  kind: 'valid' | 'duplicate' | 'malformed' | 'bad key';
  /** What it is about, when it may be taken in. */
  externalId?: string;
  body: string;
}

/** Of all deliveries: repeated ones, ones that are none, and ones with a key that nobody has. */
const parts = { duplicate: 0.3, malformed: 0.1, 'bad key': 0.05 };

const whole = (externalId: string, groupId: string) =>
  JSON.stringify({ type: 'issue_failed', version: 1, data: [{ groupId, externalId, message: 'no gas' }] });

const malformed = (n: number): string =>
  [
    '',
    '{"type": "issue_failed", "data": [',
    `{"type": "issue_failed", "data": {"externalId": "malformed-${n}"}}`,
    `{"data": [{"externalId": "malformed-${n}"}], "type": 7}`,
    `[${n}]`,
    `{"type": "issue_failed", "data": ["malformed-${n}"]}`,
  ][n % 6] as string;

/** What the senders send, in the order in which they send it; it follows from the seed. */
export function stormPlan(total: number, seed: string): Delivery[] {
  const random = new SeededRandom(seed);
  const count = (part: number) => Math.round(total * part);
  const duplicates = count(parts.duplicate);
  const valid = total - duplicates - count(parts.malformed) - count(parts['bad key']);
  const plan: Delivery[] = [];
  const one = (kind: Delivery['kind'], n: number) => {
    const externalId = `storm-${n}`;
    plan.push({ kind, externalId, body: whole(externalId, `group-${random.integer(0, 9)}`) });
  };
  for (let n = 0; n < valid; n++) one('valid', n);
  for (let n = 0; n < duplicates; n++) one('duplicate', random.integer(0, valid - 1));
  for (let n = 0; n < count(parts.malformed); n++) plan.push({ kind: 'malformed', body: malformed(n) });
  for (let n = 0; n < count(parts['bad key']); n++)
    plan.push({ kind: 'bad key', body: whole(`unproven-${n}`, 'group') });
  // Each order is as likely as any other.
  for (let i = plan.length - 1; i > 0; i--) {
    const j = random.integer(0, i);
    [plan[i], plan[j]] = [plan[j] as Delivery, plan[i] as Delivery];
  }
  return plan;
}
