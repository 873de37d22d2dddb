import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { messageKinds } from '../../src/clients/commerce/messages.ts';
import { readMessage } from '../../src/clients/commerce/read-message.ts';
import { dropOldDetails } from '../../src/issuance/maintenance.ts';
import { entry } from '../_util/entries.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import { tablesOf } from '../_util/tables.ts';

type Fields = Record<string, unknown>;

const stored = 'https://static.test/anybody/picture.png';

let recorded: RecordedGateway;
beforeAll(async () => {
  recorded = await startRecordedGateway();
});
afterAll(() => recorded?.stop());
afterEach(() => recorded.reset());

let entryCount = 0;
const typed = (over: Fields = {}) =>
  entry(
    recorded.gateway.info,
    `refused ${entryCount++}`,
    { finalUrl: stored },
    {
      attachments: [{ name: 'a.pdf', category: 'CERTIFICATE', file: { finalUrl: `${stored}.pdf` } }],
      ...over,
    },
  );
const json = (document: Fields = {}) => {
  const { metadata: _, ...rest } = typed();
  const same = {
    name: `${entryCount}`,
    title: { en: 't' },
    medium: { en: 'm' },
    yearOfCreation: { en: 'y' },
  };
  const $schema = `${recorded.service.url}/api/v1/schema/registry-record-metadata.v2.2.schema.json`;
  return { ...rest, metadataJson: { $schema, ...same, thumbnailURL: stored, image: stored, ...document } };
};

/** The path of the error when the service refuses a single entry with this message, or code in `results`. */
async function placeOf(sent: Fields, serviceMessage: string, status: number): Promise<string> {
  const results = [{ status: 'failed', externalId: sent.externalId, message: serviceMessage }];
  const message = /^[A-Z_]+$/.test(serviceMessage) ? { results } : serviceMessage;
  const text = JSON.stringify({ statusCode: status, message });
  recorded.service.answerInstead = ({ call }) => (call === 'srrs' ? { status, text } : undefined);
  const id = await issue(recorded.gateway.caller, { entries: [sent] });
  const { entries } = await finalOutcome(recorded.gateway.caller, id);
  return (entries[0]?.error?.path ?? []).join('.');
}

const foreign =
  (field: string, url = stored) =>
  (id: string) =>
    `File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs\n[${id}] ${field}: ${url}`;
const details = (text: string) => () =>
  `payload.0.metadata is invalid. Check it against the metadata JSON schema. Details: ${text}`;

describe('the error of a refusal has the path of the mutation’s input', () => {
  type MessageFor = (externalId: string) => string;
  const cases: [words: string, input: () => Fields, messageFor: MessageFor, path: string, status?: number][] =
    [
      ['thumbnailURL', typed, foreign('thumbnailURL'), 'metadata.thumbnail'],
      ['metadata.thumbnailURL', typed, foreign('metadata.thumbnailURL'), 'metadata.thumbnail'],
      ['image', typed, foreign('image'), 'metadata.image'],
      ['contractTerms.fileURL', typed, foreign('contractTerms.fileURL'), 'metadata.contractTerms.file'],
      ['attachmentFiles[0].url', typed, foreign('attachmentFiles[0].url'), 'attachments.0.file'],
      [
        'payload.0.attachmentFiles.0.url',
        typed,
        () => 'payload.0.attachmentFiles.0.url must be a string',
        'attachments.0.file',
      ],
      ['payload.0.attachmentFiles', typed, () => 'payload.0.attachmentFiles must be an array', 'attachments'],
      [
        'an attachment named by its address',
        typed,
        () => `File URLs must be service storage URLs: ${stored}.pdf`,
        'attachments.0.file',
      ],
      ['$schema', typed, details('$schema path is invalid, file is not found'), 'metadata.schemaVersion'],
      [
        'royalty rate',
        typed,
        details('royalty rate is out of the acceptable range of 0 to 100'),
        'metadata.contractTerms.royaltyRate',
      ],
      [
        '$schemaIntegrity',
        typed,
        details('$schemaIntegrity does not match $schema digest'),
        'metadata.schemaVersion',
      ],
      ['the externalId', typed, () => 'DUPLICATE_EXTERNAL_ID', 'externalId'],
      ['the metadata', typed, details("should have required property 'x'"), 'metadata'],
      [
        'the artist',
        typed,
        () => 'payload.0.artistAddress must be a valid Ethereum addresses',
        'artistAddress',
      ],
      [
        'the alternative name of chips',
        typed,
        () => 'payload.0.metadata.vendorCertICTagUIDs must be unique',
        'metadata.chipUIDs',
      ],
      [
        'the artist, with status 422',
        typed,
        () => `Address not found: ${typed().artistAddress}`,
        'artistAddress',
        422,
      ],
      ['thumbnailURL of a document', json, foreign('thumbnailURL'), 'metadataJson.thumbnailURL'],
      [
        'contract terms of a document',
        json,
        foreign('contractTerms.fileURL'),
        'metadataJson.contractTerms.fileURL',
      ],
      [
        '$schema of a document',
        json,
        details('$schema path is invalid, file is not found'),
        'metadataJson.$schema',
      ],
      ['attachments of a document', json, foreign('attachmentFiles[0].url'), 'attachments.0.file'],
      [
        'chips of a document under their alternative name',
        () => json({ vendorCertICTagUIDs: ['04'] }),
        () => 'DUPLICATE_CHIP',
        'metadataJson.vendorCertICTagUIDs',
      ],
      [
        'chips of typed metadata',
        () => typed({ metadata: { chipUIDs: ['04'] } }),
        () => 'DUPLICATE_CHIP',
        'metadata.chipUIDs',
      ],
    ];
  it.each(cases)('%s', async (_, input, messageFor, path, status = 400) => {
    const one = input();
    expect(await placeOf(one, messageFor(String(one.externalId)), status)).toBe(`input.entries.0.${path}`);
  });

  it('for every entry field in the table of known messages', () => {
    const read = cases.map(([, , messageFor]) =>
      readMessage(messageFor('id'), [{ externalId: 'id' }], 'UNKNOWN_ERROR'),
    );
    const places = new Set(read.map(({ faults }) => faults[0].path?.slice(2).join('.')));
    const fields = messageKinds.flatMap(({ field }) => field?.join('.') ?? []);
    const ofFiles = ['filename', 'category'];
    expect(fields.filter((field) => !places.has(field) && !ofFiles.includes(field))).toEqual([]);
  });
});

describe('IssuanceEntry.input', () => {
  const inputOf = async (id: string) => {
    const { issuance } = await recorded.gateway.caller.data(
      'query ($id: ID!) { issuance(id: $id) { entries(first: 9) { edges { node { input } } } } }',
      { id },
    );
    return issuance.entries.edges.map(({ node }: { node: { input: unknown } }) => node.input);
  };

  it('is the input of the mutation until the details are dropped', async () => {
    recorded.service.answerInstead = ({ call }) =>
      call === 'srrs'
        ? { status: 400, text: '{"statusCode":400,"message":"Address not found: 0x0"}' }
        : undefined;
    const upload = await recorded.gateway.caller.upload('given.png', 'NON_ATTACHMENT_FILE', 'given');
    const byKey = { file: { filename: 'given.png', category: 'NON_ATTACHMENT_FILE' } };
    const one = typed({ metadata: { image: { upload }, thumbnail: byKey, contractTerms: { file: byKey } } });
    const two = { ...json(), to: String(recorded.gateway.info.buyers[0]?.address).toLowerCase() };
    const id = await issue(recorded.gateway.caller, { entries: [one, two] });
    await finalOutcome(recorded.gateway.caller, id);
    const metadata = { schemaVersion: '2.2', ...(one.metadata as Fields) };
    expect(await inputOf(id)).toEqual([
      { ...one, metadata },
      { ...two, to: recorded.gateway.info.buyers[0]?.address },
    ]);

    const db = tablesOf(recorded.gateway.database);
    await dropOldDetails({ db, timeouts: { keepDetails: -86_400_000 } }, AbortSignal.timeout(10_000));
    expect(await inputOf(id)).toEqual([{}, {}]);
  });
});
