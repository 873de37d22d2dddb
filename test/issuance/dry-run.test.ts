import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { testToken } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';
import { startRecordingProxy } from '../_util/recording-proxy.ts';

type Fields = Record<string, unknown>;
interface Shown {
  code: string;
  message: string;
  path: string[];
}

const published = { ipfs: 'ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e' };

let recorded: RecordedGateway;
let index: RecordingProxy;
beforeAll(async () => {
  index = await startRecordingProxy();
  recorded = await startRecordedGateway({ upstreams: { subgraphUrls: [`${index.url}/subgraph`] } });
  index.target = new URL(recorded.gateway.info.subgraphUrl).origin;
});
afterAll(async () => {
  await recorded?.stop();
  await index?.stop();
});
afterEach(async () => {
  index.answerInstead = undefined;
  await recorded.reset();
});

// Another one in each test and retry: the gateway knows for some time what the subgraph said about one.
let unknownAddress: string;
beforeEach(() => {
  unknownAddress = `0x${randomBytes(20).toString('hex')}`;
});

let entryCount = 0;
const typed = (over: Fields = {}) =>
  entry(recorded.gateway.info, `looked at ${entryCount++}`, published, over);
const key = (filename: string, category: string) => ({ file: { filename, category } });

async function report(
  ...entries: Fields[]
): Promise<{ valid: boolean; userErrors: Shown[]; warnings: Shown[] }> {
  const { validateSRRs } = await recorded.gateway.caller.data(
    `query ($entries: [IssueEntryInput!]!) {
      validateSRRs(entries: $entries) {
        valid userErrors { code message path } warnings { code message path }
      }
    }`,
    { entries },
  );
  return validateSRRs;
}
const places = (found: Shown[]) => found.map(({ code, path }) => [code, path.join('.')]);

/** The queries to the subgraph for this list. */
const queriesFor = (list: string) =>
  index.calls.filter(({ body }) => JSON.stringify(body ?? {}).includes(list));

/** Creates a collection, and waits until the subgraph has it. */
async function collectionOf(owner: GraphQLCaller): Promise<string> {
  const { createCollection } = await owner.data(
    'mutation { createCollection(input: { name: "Works", symbol: "W" }) { collection { address } userErrors { message } } }',
  );
  expect(createCollection.userErrors).toEqual([]);
  const { address } = createCollection.collection;
  const found = async () =>
    (await owner.data('query ($address: Address!) { collection(address: $address) { name } }', { address }))
      .collection;
  await expect.poll(found, { timeout: 30_000 }).toEqual({ name: 'Works' });
  return address;
}

describe('a dry run', () => {
  it('reports no faults of records that can be issued', async () => {
    expect(await report(typed())).toEqual({ valid: true, userErrors: [], warnings: [] });
  });

  it('warns that it did not check a file at an address from elsewhere', async () => {
    const { valid, warnings } = await report(
      typed({ metadata: { image: { finalUrl: 'https://elsewhere.example/x.png' } } }),
    );
    expect(valid).toBe(true);
    expect(places(warnings)).toEqual([['FILE_URL_NOT_ALLOWED', 'entries.0.metadata.image']]);
    expect(warnings[0]?.message).toContain('was not checked');
  });

  it('finds artists who are not licensed users with one query for all', async () => {
    index.clear();
    const found = await report(
      typed(),
      typed({ artistAddress: unknownAddress }),
      typed({ artistAddress: unknownAddress }),
    );
    expect(found.valid).toBe(false);
    expect(places(found.userErrors)).toEqual([
      ['UNKNOWN_ARTIST', 'entries.1.artistAddress'],
      ['UNKNOWN_ARTIST', 'entries.2.artistAddress'],
    ]);
    expect(queriesFor('licensedUserWallets')).toHaveLength(1);
    expect(recorded.service.counts().fileMetadata).toBeUndefined();
  });

  it('finds collections that do not exist or have another owner', async () => {
    const { app, caller } = recorded.gateway;
    const second = new GraphQLCaller(app.url, { authorization: `Bearer ${testToken}-1` });
    const [own, foreign] = [await collectionOf(caller), await collectionOf(second)];
    const found = await report(
      typed({ collectionAddress: unknownAddress }),
      typed({ collectionAddress: foreign }),
      typed({ collectionAddress: own }),
    );
    expect(places(found.userErrors)).toEqual([
      ['NOT_FOUND', 'entries.0.collectionAddress'],
      ['NOT_FOUND', 'entries.1.collectionAddress'],
    ]);
    expect(found.userErrors[1]?.message).toContain('another owner');
  });

  it('finds files that were never uploaded or are not ready with one call for all', async () => {
    const { caller } = recorded.gateway;
    const ready = await caller.upload('ready.png', 'NON_ATTACHMENT_FILE', 'ready');
    await expect
      .poll(async () => (await report(typed({ metadata: { image: { upload: ready } } }))).warnings, {
        timeout: 20_000,
      })
      .toEqual([]);
    recorded.service.clear();
    recorded.service.answerInstead = ({ call, body }) =>
      call === 'fileMetadata' &&
      body.payload.some(({ filename }: { filename: string }) => filename === 'slow.png')
        ? { status: 200, text: JSON.stringify(body.payload.map(stateOf)) }
        : undefined;
    const slow = await report(
      typed({ metadata: { image: { upload: ready }, thumbnail: key('slow.png', 'NON_ATTACHMENT_FILE') } }),
      typed({ attachments: [{ name: 'slow.png', category: 'ARTWORK', file: key('slow.png', 'ARTWORK') }] }),
    );
    expect(slow.userErrors).toEqual([]);
    expect(places(slow.warnings)).toEqual([
      ['FILE_NOT_READY', 'entries.0.metadata.thumbnail'],
      ['ATTACHMENT_NOT_READY', 'entries.1.attachments.0.file'],
    ]);
    expect(recorded.service.counts().fileMetadata).toBe(1);

    const absent = await report(
      typed({ metadata: { contractTerms: { file: key('absent.pdf', 'NON_ATTACHMENT_FILE') } } }),
      typed({
        attachments: [{ name: 'a.pdf', category: 'CERTIFICATE', file: key('absent.pdf', 'CERTIFICATE') }],
      }),
    );
    expect(places(absent.userErrors)).toEqual([
      ['FILE_NOT_FOUND', 'entries.0.metadata.contractTerms.file'],
      ['ATTACHMENT_NOT_FOUND', 'entries.1.attachments.0.file'],
    ]);
  });

  it('warns of files that waiting will not make ready, with the reason of the service', async () => {
    const warningsFor = async (status: number, body: unknown) => {
      recorded.service.answerInstead = ({ call }) =>
        call === 'fileMetadata' ? { status, text: JSON.stringify(body) } : undefined;
      const attachments = [{ name: 'a.pdf', category: 'CERTIFICATE', file: key('a.pdf', 'CERTIFICATE') }];
      return (await report(typed({ attachments }))).warnings;
    };
    const path = ['entries', '0', 'attachments', '0', 'file'];
    expect(await warningsFor(403, [{ index: 0, filePath: 'a.pdf' }])).toEqual([
      { code: 'FORBIDDEN', message: expect.stringContaining('cannot be accessed'), path },
    ]);
    const corrupt = {
      filename: 'a.pdf',
      hash: `sha256-${'0'.repeat(64)}`,
      message: 'CID_CALCULATION_FAILED',
    };
    expect(await warningsFor(200, [corrupt])).toEqual([
      { code: 'ATTACHMENT_NOT_READY', message: expect.stringContaining('has a problem with'), path },
    ]);
  });

  const stateOf = ({ filename }: { filename: string }) =>
    filename === 'slow.png'
      ? { filename, message: 'HASH_STILL_IN_CALCULATION' }
      : { filename, hash: `sha256-${'0'.repeat(64)}`, cid: published.ipfs.slice(7), size: 1 };

  it('warns of records without a name or a text, because issuing is final', async () => {
    const { metadata: _, ...rest } = typed();
    const found = await report(typed({ metadata: { name: ' ', title: {}, medium: { en: '' } } }), {
      ...rest,
      metadataJson: {
        $schema: `${recorded.service.url}/api/v1/schema/registry-record-metadata.v2.2.schema.json`,
        name: '',
        title: { en: 'x', ja: '' },
        medium: { en: 'x' },
        yearOfCreation: { en: ' ', ja: '' },
        thumbnailURL: published.ipfs,
        image: published.ipfs,
      },
    });
    expect(found.valid).toBe(true);
    expect(places(found.warnings)).toEqual([
      ['METADATA_INVALID', 'entries.0.metadata.name'],
      ['METADATA_INVALID', 'entries.0.metadata.title'],
      ['METADATA_INVALID', 'entries.0.metadata.medium'],
      ['METADATA_INVALID', 'entries.1.metadataJson.name'],
      ['METADATA_INVALID', 'entries.1.metadataJson.yearOfCreation'],
    ]);
  });

  it('warns of what it could not check after five seconds while the service hangs', async () => {
    recorded.service.answerInstead = ({ call }) =>
      call === 'fileMetadata' ? new Promise<undefined>(() => {}) : undefined;
    const found = await report(typed({ metadata: { image: key('any.png', 'NON_ATTACHMENT_FILE') } }));
    expect(found.warnings).toContainEqual({
      code: 'UPSTREAM_TIMEOUT',
      message: expect.stringMatching(/files.*could not be checked: There was no answer in 5 seconds\.$/),
      path: ['entries'],
    });
  });

  // This test comes after that one, because the circuit breaker of the service opens when it is repeated.
  it('warns of what it could not check while the service is down, and reports the rest', async () => {
    recorded.service.answerInstead = ({ call }) =>
      call === 'fileMetadata' ? { status: 500, text: 'down' } : undefined;
    const found = await report(
      typed({ artistAddress: unknownAddress, metadata: { image: key('any.png', 'NON_ATTACHMENT_FILE') } }),
    );
    expect(places(found.userErrors)).toContainEqual(['UNKNOWN_ARTIST', 'entries.0.artistAddress']);
    expect(found.warnings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/files.*could not be checked/),
    );
  });

  // This test comes last, because the circuit breaker of the subgraph stays open for a few seconds.
  it('warns of what it could not check while the subgraph is down', async () => {
    // An address that is not cached: answers are cached until there is a new block.
    const unasked = `0x${'12'.repeat(20)}`;
    index.answerInstead = () => ({ status: 503, text: 'down' });
    const found = await report(typed({ artistAddress: unasked, collectionAddress: unasked }));
    expect(found.valid).toBe(true);
    expect(places(found.warnings)).toEqual([
      ['UPSTREAM_UNAVAILABLE', 'entries'],
      ['UPSTREAM_UNAVAILABLE', 'entries'],
    ]);
    expect(found.warnings[0]?.message).toMatch(/artists.*could not be checked/);
    expect(found.warnings[1]?.message).toMatch(/collections.*could not be checked/);
  });
});

it('issuing succeeds while everything but the request to issue is down', async () => {
  const issue = async (input: Fields) => {
    const { issueSRRs } = await recorded.gateway.caller.data(
      'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } userErrors { code } } }',
      { input },
    );
    return issueSRRs;
  };
  index.answerInstead = () => ({ status: 503, text: 'down' });
  recorded.service.answerInstead = ({ call }) =>
    call === 'srrs' ? undefined : { status: 503, text: 'down' };
  expect(await issue({ entries: [typed()] })).toMatchObject({ issuance: {}, userErrors: [] });
});
