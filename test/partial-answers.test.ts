import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';
import { type LoneGateway, startLoneGateway } from './_util/lone-gateway.ts';

let gateway: TestGateway;
let scoped: LoneGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  scoped = await startLoneGateway();
});
afterAll(async () => {
  await gateway?.stop();
  await scoped?.stop();
});

const both = `query ($artist: Address!) {
  issuances { edges { cursor } }
  events { headCursor }
  uploads(files: [{ filename: "a.png", category: NON_ATTACHMENT_FILE }]) { filename }
  licensedUser(address: $artist) { address }
}`;
const artist = () => gateway.info.artists[0]?.address;
const own = ['issuances', 'events', 'uploads'];

describe('a question that is partly of an issuer’s own', () => {
  it('is answered with its public part to everybody, and the rest as null with errors', async () => {
    const { status, data, errors } = await gateway.anonymous.ask(both, { artist: artist() });
    expect(status).toBe(200);
    expect(data.licensedUser).toEqual({ address: artist() });
    expect(errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code]).sort()).toEqual(
      own.map((field) => [field, 'UNAUTHENTICATED']).sort(),
    );
    for (const field of own) expect(data[field]).toBeNull();
  });

  it('is answered anew each time: what one caller may not read is no other’s answer', async () => {
    for (let time = 0; time < 2; time++) {
      expect((await gateway.anonymous.ask(both, { artist: artist() })).errors).toHaveLength(own.length);
      const { data, errors } = await gateway.caller.ask(both, { artist: artist() });
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ issuances: { edges: [] }, events: { headCursor: expect.any(String) } });
      expect(data.uploads).toHaveLength(1);
    }
  });

  it('is refused field by field to a token whose scopes do not cover it', async () => {
    const query = '{ issuances { edges { cursor } } viewer { issuer } }';
    const { data, errors } = await scoped.as({ authorization: 'Bearer lone-token-upload' }).ask(query);
    expect(data).toMatchObject({ issuances: null, viewer: { issuer: expect.any(String) } });
    expect(errors).toMatchObject([{ path: ['issuances'], extensions: { code: 'FORBIDDEN' } }]);
  });
});
