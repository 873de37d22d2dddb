import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';

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

describe('a query with public and private fields', () => {
  it('returns the public fields to everybody, and null with errors for the private ones', async () => {
    const { status, data, errors } = await gateway.anonymous.ask(both, { artist: artist() });
    expect(status).toBe(200);
    expect(data.licensedUser).toEqual({ address: artist() });
    expect(errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code]).sort()).toEqual(
      own.map((field) => [field, 'UNAUTHENTICATED']).sort(),
    );
    for (const field of own) expect(data[field]).toBeNull();
  });

  it('is not cached across callers: one caller’s errors never reach another', async () => {
    for (let time = 0; time < 2; time++) {
      expect((await gateway.anonymous.ask(both, { artist: artist() })).errors).toHaveLength(own.length);
      const { data, errors } = await gateway.caller.ask(both, { artist: artist() });
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ issuances: { edges: [] }, events: { headCursor: expect.any(String) } });
      expect(data.uploads).toHaveLength(1);
    }
  });

  it('returns errors only for the fields that the scopes of the token do not cover', async () => {
    const query = '{ issuances { edges { cursor } } viewer { issuer } }';
    const { data, errors } = await scoped.as({ authorization: 'Bearer lone-token-upload' }).ask(query);
    expect(data).toMatchObject({ issuances: null, viewer: { issuer: expect.any(String) } });
    expect(errors).toMatchObject([{ path: ['issuances'], extensions: { code: 'FORBIDDEN' } }]);
  });
});
