import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedGateway, startCountedGateway } from '../_util/counting-upstreams.ts';
import { type Data, GraphQLCaller } from '../_util/graphql-caller.ts';
import { type NodeProcess, startProcess } from '../_util/node-process.ts';

// The gateway in a supergraph beside a subgraph that extends its records: composed by Apollo's and by the Guild's
// library, and asked through Hive Gateway.

let gateway: CountedGateway;
let records: Data[];
beforeAll(async () => {
  gateway = await startCountedGateway();
  const { srrs } = await gateway.anonymous.data(
    '{ srrs(first: 50) { edges { node { tokenId owner collection { address } metadata { title { text } } } } } }',
  );
  records = srrs.edges.map(({ node }: Data) => node);
});
afterAll(() => gateway?.stop());

describe.each([
  ['guild', 'GATEWAY_URL'],
  ['apollo', 'PORT'],
])('a supergraph composed by the library of %s', (composer, setting) => {
  let router: NodeProcess;
  let caller: GraphQLCaller;
  beforeAll(async () => {
    const [port] = await freePorts(1);
    router = await startProcess(
      'examples/supergraph/serve.ts',
      {
        [setting]: setting === 'PORT' ? new URL(gateway.app.url).port : `${gateway.app.url}/graphql`,
        SUPERGRAPH_PORT: String(port),
      },
      /Ask it/,
      ['--composer', composer],
    );
    caller = new GraphQLCaller(`http://127.0.0.1:${port}`);
  });
  afterAll(() => router?.stop());

  it('shows the owner, the title on IPFS and what another subgraph adds in one answer', async () => {
    const { srrs } = await caller.data(
      '{ srrs(first: 50) { edges { node { tokenId owner metadata { title { text } } insurance { policy } } } } }',
    );
    expect(srrs.edges.map(({ node }: Data) => node)).toEqual(
      records.map(({ tokenId, owner, metadata }) => ({
        tokenId,
        owner,
        metadata,
        insurance: { policy: `P-${tokenId}` },
      })),
    );
  });

  it('finds the records that another subgraph names, with one request to the subgraph of the chain', async () => {
    const insured = records.filter(({ collection }) => collection === null);
    const query = `query ($tokenIds: [TokenId!]!) {
      insured(tokenIds: $tokenIds) { tokenId owner metadata { title { text } } insurance { sum } }
    }`;
    const variables = { tokenIds: insured.map(({ tokenId }) => tokenId) };
    await gateway.moveBlock();
    let answer: Data;
    const cost = await gateway.costOf(async () => {
      answer = await caller.data(query, variables);
    });
    expect(insured.length).toBeGreaterThan(5);
    expect(cost.subgraph).toEqual({ Srrs: 1 });
    expect(answer.insured).toMatchObject(
      insured.map(({ tokenId, owner, metadata }) => ({ tokenId, owner, metadata })),
    );
  });

  it('hands on who asks', async () => {
    const viewer = (headers: Record<string, string>) =>
      new GraphQLCaller(caller.url, headers).data('{ viewer { issuer } }');
    expect(await viewer(gateway.caller.headers)).toEqual({ viewer: { issuer: gateway.issuer.address } });
    expect(await viewer({})).not.toEqual({ viewer: { issuer: gateway.issuer.address } });
  });
});
