import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askToIssue, finalOutcome, issue, outcomeOf } from './_util/issuances.ts';
import { type OtherGateway, otherEntry, startOtherGateway } from './_util/other-gateway.ts';
import { troubles } from './_util/other-service.ts';

let gateway: OtherGateway;
beforeAll(async () => {
  gateway = await startOtherGateway();
});
afterEach(async () => {
  gateway?.service.plain();
  await gateway?.service.quiet();
});
afterAll(() => gateway?.stop());

/** Issues one record over a new picture; returns the issuance and the externalId. */
async function issueOne(over: { [field: string]: unknown; metadata?: object } = {}) {
  const externalId = randomUUID();
  const entry = otherEntry(gateway.service, externalId, await gateway.picture(), over);
  return { externalId, id: await issue(gateway.caller, { entries: [entry] }) };
}

/** The one entry of an issuance once it is ISSUED, minted once and only once. */
async function issuedOnce({ externalId, id }: { externalId: string; id: string }) {
  const { entries } = await finalOutcome(gateway.caller, id);
  expect(entries[0]).toMatchObject({ externalId, status: 'ISSUED' });
  expect(gateway.service.chain.mintsOf(externalId)).toBe(1);
  return entries[0];
}

describe('a delivery in any form', () => {
  it.each(['LIST', 'OBJECT', 'NULL_TYPE', 'UNTYPED', 'FLAT'] as const)(
    'is taken, and its record is issued: %s',
    async (envelope) => {
      const { service } = gateway;
      service.variants.deliveries.envelope = envelope;
      const before = service.deliveries.all.length;
      for (const ids of ['OLD', 'SLIM', 'NESTED', 'EXTERNAL_ID', 'TOKEN_ID'] as const) {
        service.variants.deliveries.ids = ids;
        await issuedOnce(await issueOne());
      }
      const sent = service.deliveries.all.slice(before);
      await expect.poll(() => sent.every(({ state }) => state !== 'WAITING')).toBe(true);
      expect(sent.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual(sent.map(() => [200]));
    },
  );

  it.each([
    {},
    { type: 'issue_complete' },
    { type: 'issue_complete', data: null },
    { type: 'issue_complete', data: 'all of them' },
    { type: 7, version: 'two', data: [] },
    { type: 'issue_complete', version: 1, data: [null, 'text', 5] },
    { type: 'something.new', version: 3, data: { deep: { deeper: [1] } } },
    { event: 'issue_complete', items: [{ id: 'a' }] },
  ])('is answered 2xx when it is an authenticated JSON object: %j', async (body) => {
    const { attempts } = await gateway.service.deliveries.send(gateway.issuer.address, body);
    expect(attempts.map(({ status }) => status)).toEqual([200]);
  });

  it('of a success with `status: "failed"` issues nothing', async () => {
    const { service } = gateway;
    Object.assign(service.variants.deliveries, { failedAs: 'STATUS' });
    service.variants.mining.default = 'FAIL';
    const { externalId, id } = await issueOne();
    const told = () => service.deliveries.all.find(({ body }) => JSON.stringify(body).includes(externalId));
    await expect.poll(() => told()?.state).toBe('DELIVERED');
    const { entries } = await outcomeOf(gateway.caller, id);
    expect(entries[0]?.status).not.toBe('ISSUED');
  });

  it.each(['FAILURE_FIRST', 'LATE_FAILURE'] as const)('that contradicts another: %s', async (tells) => {
    gateway.service.variants.deliveries.tells = tells;
    const one = await issueOne();
    await expect
      .poll(async () => (await outcomeOf(gateway.caller, one.id)).entries[0]?.status)
      .toBe('ISSUED');
    await gateway.service.quiet();
    await issuedOnce(one);
  });
});

describe('an answer with what nobody knows', () => {
  it('is read for what is known', async () => {
    Object.assign(gateway.service.variants, {
      extraFields: true,
      order: 'REVERSED',
      addresses: 'LOWER',
      fileList: 'payload',
      registryRecord: 'REGISTRY',
      metadata: 'UPGRADED',
    });
    await issuedOnce(await issueOne());
  });

  it.each(['BARE', 'payload', 'results'] as const)('lists files as %s', async (fileList) => {
    gateway.service.variants.fileList = fileList;
    await issuedOnce(await issueOne());
  });

  it('has no collection in any of the ways', async () => {
    gateway.service.variants.registryRecord = 'ABSENT';
    await issuedOnce(await issueOne());
  });
});

describe('files', () => {
  it('that storage shows only a while after their upload are waited for', async () => {
    gateway.service.variants.files.invisibleMs = 700;
    await issuedOnce(await issueOne());
  });

  it('that are slow are waited for, and the hash alone is not enough', async () => {
    Object.assign(gateway.service.variants.files, { hashMs: 400, cidMs: 400 });
    await issuedOnce(await issueOne());
  });

  it.each(['HTTP', 'OBJECT'] as const)(
    'of a private category are attached by their finalUrl, and not shown by it: %s',
    async (form) => {
      const { caller, service } = gateway;
      service.variants.privateFinalUrl = form;
      const node = await caller.upload(`${randomUUID()}.pdf`, 'CERTIFICATE', randomUUID());
      const { node: upload } = await caller.data(
        'query ($id: ID!) { node(id: $id) { ... on Upload { finalUrl } } }',
        { id: node },
      );
      expect(upload.finalUrl).toMatch(form === 'OBJECT' ? /^gs:/ : /^http:/);
      const inMetadata = otherEntry(service, randomUUID(), { finalUrl: upload.finalUrl });
      const { userErrors } = await askToIssue(caller, { entries: [inMetadata] });
      expect(new Set(userErrors.map(({ code }) => code))).toEqual(new Set(['FILE_NOT_PUBLIC']));
      await issuedOnce(
        await issueOne({
          attachments: [{ name: 'paper.pdf', category: 'CERTIFICATE', file: { finalUrl: upload.finalUrl } }],
        }),
      );
    },
  );

  it('are waited for through a while of 401, 400 and 502', async () => {
    const { service, issuer } = gateway;
    service.variants.next.fileMetadata = [
      troubles.unauthorised(issuer.address),
      troubles.refused(400, 'a proxy is being set up'),
      troubles.badGateway(),
    ];
    await issuedOnce(await issueOne());
  });

  it('whose hash calculation failed are shown with what the service says of them', async () => {
    const { caller, service } = gateway;
    const filename = `${randomUUID()}.png`;
    service.variants.files.of[filename] = { failure: 'HASH_CALCULATION_FAILED' };
    const upload = await caller.upload(filename, 'NON_ATTACHMENT_FILE', 'a broken picture');
    const id = await issue(caller, { entries: [otherEntry(service, randomUUID(), { upload })] });
    const failed = async () => {
      const { issuance } = await caller.data(
        'query ($id: ID!) { issuance(id: $id) { files(status: FAILED) { edges { node { filename message } } } } }',
        { id },
      );
      return issuance.files.edges.map(({ node }: { node: object }) => node);
    };
    await expect.poll(failed).toEqual([{ filename, message: 'HASH_CALCULATION_FAILED' }]);
    const { history } = await outcomeOf(caller, id);
    expect(JSON.stringify(history)).toContain('HASH_CALCULATION_FAILED');
    await caller.data('mutation ($id: ID!) { cancelIssuance(input: { id: $id }) { userErrors { code } } }', {
      id,
    });
  });

  it('show why they are waited for', async () => {
    const { caller, service, issuer } = gateway;
    service.variants.always.fileMetadata = troubles.unauthorised(issuer.address);
    const { id } = await issueOne();
    await expect
      .poll(
        async () => {
          const { error, history } = await outcomeOf(caller, id);
          return JSON.stringify([error, history]);
        },
        { timeout: 8_000 },
      )
      .toMatch(/API key|refuse|UNAUTHENTICATED/i);
    delete service.variants.always.fileMetadata;
    await finalOutcome(caller, id);
  });

  it.each([
    ['500', troubles.serviceError('storage is away')],
    ['502', troubles.badGateway()],
  ])('are signed for again after a %s', async (_, trouble) => {
    gateway.service.variants.next.signedUrls = [trouble];
    await gateway.picture();
  });
});
