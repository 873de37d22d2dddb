import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askToIssue, finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { type OtherGateway, otherEntry, startOtherGateway } from '../_util/other-gateway.ts';
import { serviceFaults } from '../_util/other-service.ts';

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

/** Waits for the issuance; its one entry must be ISSUED and minted exactly once. */
async function expectIssuedOnce({ externalId, id }: { externalId: string; id: string }) {
  const { entries } = await finalOutcome(gateway.caller, id);
  expect(entries[0]).toMatchObject({ externalId, status: 'ISSUED' });
  expect(gateway.service.chain.mintsOf(externalId)).toBe(1);
  return entries[0];
}

describe('a delivery in any form', () => {
  it.each(['LIST', 'OBJECT', 'NULL_TYPE', 'UNTYPED', 'FLAT'] as const)(
    'is accepted, and its record is issued: %s',
    async (envelope) => {
      const { service } = gateway;
      service.variants.deliveries.envelope = envelope;
      const before = service.deliveries.all.length;
      for (const ids of ['OLD', 'SLIM', 'NESTED', 'EXTERNAL_ID', 'TOKEN_ID'] as const) {
        service.variants.deliveries.ids = ids;
        await expectIssuedOnce(await issueOne());
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

  it('of the success type with `status: "failed"` does not mark its record as ISSUED', async () => {
    const { service } = gateway;
    Object.assign(service.variants.deliveries, { failedAs: 'STATUS' });
    service.variants.mining.default = 'FAIL';
    const { externalId, id } = await issueOne();
    const deliveryOf = () =>
      service.deliveries.all.find(({ body }) => JSON.stringify(body).includes(externalId));
    await expect.poll(() => deliveryOf()?.state).toBe('DELIVERED');
    const { entries } = await outcomeOf(gateway.caller, id);
    expect(entries[0]?.status).not.toBe('ISSUED');
  });

  it.each(['FAILURE_FIRST', 'LATE_FAILURE'] as const)(
    'that contradicts another does not change the outcome of an issued record: %s',
    async (tells) => {
      gateway.service.variants.deliveries.tells = tells;
      const one = await issueOne();
      await expect
        .poll(async () => (await outcomeOf(gateway.caller, one.id)).entries[0]?.status)
        .toBe('ISSUED');
      await gateway.service.quiet();
      await expectIssuedOnce(one);
    },
  );
});

describe('a response of the service', () => {
  it('is understood with unknown fields and in another order', async () => {
    Object.assign(gateway.service.variants, {
      extraFields: true,
      order: 'REVERSED',
      addresses: 'LOWER',
      fileList: 'payload',
      registryRecord: 'REGISTRY',
      metadata: 'UPGRADED',
    });
    await expectIssuedOnce(await issueOne());
  });

  it.each(['BARE', 'payload', 'results'] as const)('may list files as %s', async (fileList) => {
    gateway.service.variants.fileList = fileList;
    await expectIssuedOnce(await issueOne());
  });

  it('may lack the registry of the record', async () => {
    gateway.service.variants.registryRecord = 'ABSENT';
    await expectIssuedOnce(await issueOne());
  });
});

describe('files', () => {
  it('that appear in the storage only a while after their upload are waited for', async () => {
    gateway.service.variants.files.invisibleMs = 700;
    await expectIssuedOnce(await issueOne());
  });

  it('are waited for until they have both their hash and their CID', async () => {
    Object.assign(gateway.service.variants.files, { hashMs: 400, cidMs: 400 });
    await expectIssuedOnce(await issueOne());
  });

  it.each(['HTTP', 'OBJECT'] as const)(
    'of a private category can be attachments but not pictures, by their finalUrl: %s',
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
      await expectIssuedOnce(
        await issueOne({
          attachments: [{ name: 'paper.pdf', category: 'CERTIFICATE', file: { finalUrl: upload.finalUrl } }],
        }),
      );
    },
  );

  it('are waited for while the service answers 401, 400 and 502', async () => {
    const { service, issuer } = gateway;
    service.variants.next.fileMetadata = [
      serviceFaults.unauthorised(issuer.address),
      serviceFaults.refused(400, 'a proxy is being set up'),
      serviceFaults.badGateway(),
    ];
    await expectIssuedOnce(await issueOne());
  });

  it('whose hash calculation failed are listed with the message of the service', async () => {
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

  it('that cannot be checked yet show the reason in the issuance', async () => {
    const { caller, service, issuer } = gateway;
    service.variants.always.fileMetadata = serviceFaults.unauthorised(issuer.address);
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
    ['500', serviceFaults.serviceError('storage is away')],
    ['502', serviceFaults.badGateway()],
  ])('get their signed URL by a retry after a %s', async (_, fault) => {
    gateway.service.variants.next.signedUrls = [fault];
    await gateway.picture();
  });
});
