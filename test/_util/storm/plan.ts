import { SeededRandom } from '../seeded-random.ts';

export interface Delivery {
  kind: 'valid' | 'duplicate' | 'unfamiliar' | 'malformed' | 'bad key';
  /** The externalId of its event, if the gateway may accept it. */
  externalId?: string;
  body: string;
}

/** The proportions of repeated deliveries, unknown shapes, malformed bodies and wrong keys. */
const parts = { duplicate: 0.3, unfamiliar: 0.05, malformed: 0.05, 'bad key': 0.05 };

const whole = (externalId: string, groupId: string) =>
  JSON.stringify({ type: 'issue_failed', version: 1, data: [{ groupId, externalId, message: 'no gas' }] });

/** A JSON object of an undocumented shape, which the gateway must store, because it is not sent again. */
const unfamiliar = (externalId: string, n: number): string =>
  [
    `{"type": "issue_failed", "data": {"externalId": "${externalId}"}}`,
    `{"data": [{"externalId": "${externalId}"}], "type": 7}`,
    `{"type": "issue_failed", "data": ["${externalId}"]}`,
  ][n % 3] as string;

const malformed = (n: number): string =>
  ['', '{"type": "issue_failed", "data": [', `[${n}]`][n % 3] as string;

/** The deliveries in the order in which they are sent, which depends on the seed only. */
export function stormPlan(total: number, seed: string): Delivery[] {
  const random = new SeededRandom(seed);
  const count = (part: number) => Math.round(total * part);
  const duplicates = count(parts.duplicate);
  const counts = { unfamiliar: count(parts.unfamiliar), malformed: count(parts.malformed) };
  const valid = total - duplicates - counts.unfamiliar - counts.malformed - count(parts['bad key']);
  const plan: Delivery[] = [];
  const one = (kind: Delivery['kind'], n: number) => {
    const externalId = `storm-${n}`;
    plan.push({ kind, externalId, body: whole(externalId, `group-${random.integer(0, 9)}`) });
  };
  for (let n = 0; n < valid; n++) one('valid', n);
  for (let n = 0; n < duplicates; n++) one('duplicate', random.integer(0, valid - 1));
  for (let n = 0; n < counts.unfamiliar; n++) {
    const externalId = `unfamiliar-${n}`;
    plan.push({ kind: 'unfamiliar', externalId, body: unfamiliar(externalId, n) });
  }
  for (let n = 0; n < counts.malformed; n++) plan.push({ kind: 'malformed', body: malformed(n) });
  for (let n = 0; n < count(parts['bad key']); n++)
    plan.push({ kind: 'bad key', body: whole(`unproven-${n}`, 'group') });
  // Each order is as likely as any other.
  for (let i = plan.length - 1; i > 0; i--) {
    const j = random.integer(0, i);
    [plan[i], plan[j]] = [plan[j] as Delivery, plan[i] as Delivery];
  }
  return plan;
}
