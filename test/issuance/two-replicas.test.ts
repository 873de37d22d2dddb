import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { GraphQLCaller } from '../_util/graphql-caller.ts';
import { type Mint, mintReader } from '../_util/minted-records.ts';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code path } }
}`;
const outcome = `query ($id: ID!) { issuance(id: $id) {
  status entries { edges { node { externalId status } } }
} }`;

interface Payload {
  issuance: { id: string } | null;
  userErrors: { code: string; path: string[] }[];
}

describe('one requestId in 100 parallel mutations on two replicas', () => {
  let gateway: TestGateway;
  let replicas: GraphQLCaller[];
  let picture: { upload: string };
  let mints: () => Promise<Mint[]>;

  beforeAll(async () => {
    gateway = await startTestGateway();
    replicas = [gateway.caller, await gateway.replica()];
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
    mints = mintReader(gateway.info);
  });
  afterAll(() => gateway.stop());

  /** Sends all mutations at once, alternating between the replicas. */
  const sendAll = (inputs: object[]): Promise<Payload[]> =>
    Promise.all(
      inputs.map(async (input, i) => {
        const { issueSRRs } = await (replicas[i % 2] as GraphQLCaller).data(issue, { input });
        return issueSRRs as Payload;
      }),
    );

  async function completed(id: string): Promise<{ externalId: string; status: string }[]> {
    const read = async () => (await gateway.caller.data(outcome, { id })).issuance;
    await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('COMPLETED');
    return (await read()).entries.edges.map(({ node }: { node: object }) => node);
  }

  it('gets the same issuance in all responses when the input is the same, and each record is minted once', async () => {
    const run = randomUUID();
    const names = ['a', 'b', 'c'].map((name) => `${run}-${name}`);
    const input = { requestId: run, entries: names.map((name) => entry(gateway.info, name, picture)) };
    const answers = await sendAll(Array.from({ length: 100 }, () => input));
    expect(answers.flatMap(({ userErrors }) => userErrors)).toEqual([]);
    const ids = new Set(answers.map(({ issuance }) => issuance?.id));
    expect(ids.size).toBe(1);
    const [id] = ids;
    const entries = await completed(id as string);
    expect(entries).toEqual(names.map((externalId) => ({ externalId, status: 'ISSUED' })));
    const minted = (await mints()).map(({ name }) => name).filter((name) => name.startsWith(run));
    expect(minted.toSorted()).toEqual(names);
  });

  it('gets one issuance and 99 conflicts when the inputs differ, and only the winner’s record is minted', async () => {
    const run = randomUUID();
    const inputs = Array.from({ length: 100 }, (_, i) => ({
      requestId: run,
      entries: [entry(gateway.info, `${run}-${i}`, picture)],
    }));
    const answers = await sendAll(inputs);
    const winner = answers.findIndex(({ issuance }) => issuance !== null);
    const id = answers[winner]?.issuance?.id as string;
    expect(answers[winner]?.userErrors).toEqual([]);
    for (const loser of answers.toSpliced(winner, 1))
      expect(loser).toEqual({
        issuance: null,
        userErrors: [{ code: 'IDEMPOTENCY_CONFLICT', path: ['input', 'requestId'] }],
      });
    expect(await completed(id)).toEqual([{ externalId: `${run}-${winner}`, status: 'ISSUED' }]);
    const minted = (await mints()).map(({ name }) => name).filter((name) => name.startsWith(run));
    expect(minted).toEqual([`${run}-${winner}`]);
    // From now on both replicas return the winner's issuance for this requestId.
    const again = await sendAll(replicas.map(() => inputs[winner] as object));
    expect(again.map(({ issuance }) => issuance?.id)).toEqual([id, id]);
  });
});
