import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  type GatewayEvent,
  type IssueEntryInput,
  type NodeSource,
  NotIssuedError,
} from '@srr-gateway/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';

let gateway: TestGateway;
let client: Client<NodeSource>;

beforeAll(async () => {
  gateway = await startTestGateway();
  client = createClient({ url: `${gateway.app.url}/graphql`, token: testToken });
});
afterAll(() => gateway?.stop());

const order = (externalId: string, picture: string) =>
  entry(gateway.info, externalId, { upload: picture }) as unknown as IssueEntryInput;

describe('a record', () => {
  it('is issued from a file and indexed, and its event arrives over both transports', async () => {
    const picture = await client.upload(new Blob([randomBytes(300_000)]), {
      filename: `${randomUUID()}.png`,
      category: 'NON_ATTACHMENT_FILE',
    });
    const requestId = randomUUID();
    const externalId = randomUUID();
    const issuing = client.issue([order(externalId, picture.id)], { requestId });
    const states: string[] = [];
    for await (const { status } of issuing.status) states.push(status);
    expect(states.at(-1)).toBe('COMPLETED');
    const { entries } = await issuing.done;
    expect(entries).toMatchObject([{ externalId, status: 'ISSUED', srr: { indexing: 'INDEXED' } }]);
    for (const transport of ['sse', 'websocket'] as const) {
      const stop = new AbortController();
      const seen: GatewayEvent[] = [];
      await createClient({
        url: `${gateway.app.url}/graphql`,
        token: testToken,
        transport,
        webSocketImpl: WebSocket,
      }).follow({
        from: 'BEGINNING',
        where: { types: ['SRR_ISSUED'], externalIds: [externalId] },
        onEvent: (event) => {
          seen.push(event);
          stop.abort();
        },
        signal: stop.signal,
      });
      expect(seen).toMatchObject([{ __typename: 'SRRIssued', externalId, srr: entries[0]?.srr && {} }]);
    }
  });

  it('that cannot be mined is in the error of issueAndWait, and in the issuance after a reload', async () => {
    const { id } = await client.upload(new Blob([randomBytes(300)]), {
      filename: `${randomUUID()}.png`,
      category: 'NON_ATTACHMENT_FILE',
    });
    const externalId = `fail-gas-over-allowance-${randomUUID()}`;
    const requestId = randomUUID();
    const error = await client.issueAndWait([order(externalId, id)], { requestId }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(NotIssuedError);
    const entries = [{ externalId, status: 'FAILED', error: { code: 'MINING_FAILED' } }];
    expect(error).toMatchObject({
      code: 'NOT_ISSUED',
      issuance: { requestId, status: 'COMPLETED', entries },
    });
    const { status, done } = client.issuance({ requestId });
    for await (const state of status) expect(state.status).toBe('COMPLETED');
    expect(await done).toEqual(error.issuance);
  });
});
