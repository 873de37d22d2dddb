import { randomUUID } from 'node:crypto';
import { entry } from '../../test/_util/entries.ts';
import type { DeployedGateway } from './gateway.ts';
import type { Seen } from './notes.ts';

const mutation = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message } }
}`;
const subscription = `subscription ($id: ID!) {
  issuance(id: $id) { status progress { issued } error { code message } }
}`;

/** Issues as a partner does: one mutation, then a subscription until the final status. */
export async function issueAndFollow(
  { caller, info }: Pick<DeployedGateway, 'caller' | 'info'>,
  picture: object,
  records: number,
): Promise<Seen> {
  const name = randomUUID();
  const entries = Array.from({ length: records }, (_, i) => entry(info, `${name}-${i}`, picture));
  const sentAt = process.hrtime.bigint();
  const { issueSRRs } = await caller.data(mutation, { input: { requestId: name, entries } });
  if (!issueSRRs.issuance) throw new Error(`refused: ${JSON.stringify(issueSRRs.userErrors)}`);
  const { id } = issueSRRs.issuance;
  const limit = AbortSignal.timeout(120_000);
  for await (const { data, errors } of caller.subscribe(subscription, { id }, limit)) {
    const { status, progress, error } = data?.issuance ?? {};
    if (status === 'COMPLETED' && progress.issued === records)
      return { issuance: rowId(id), sentAt, completedAt: process.hrtime.bigint() };
    if (errors || error || ['REJECTED', 'CANCELLED', 'COMPLETED'].includes(status))
      throw new Error(`an issuance ended as ${status}: ${JSON.stringify(error ?? errors)}`);
  }
  throw new Error('an issuance did not end');
}

/** A global id is the base64 of `Issuance:<id of the row>`. */
const rowId = (id: string) =>
  Buffer.from(id, 'base64')
    .toString()
    .replace(/^Issuance:/, '');
