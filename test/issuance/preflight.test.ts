import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import type { TestGateway } from '../_util/gateway.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';

type Fields = Record<string, unknown>;

const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';
const published = `ipfs://${cid}`;
const uploaded = 'https://static.test/anybody/picture.png';
const schema = (version: string) =>
  `https://service.test/api/v1/schema/registry-record-metadata.v${version}.schema.json`;

let recorded: RecordedGateway;
let gateway: TestGateway;
let upstream: RecordingProxy;

beforeAll(async () => {
  recorded = await startRecordedGateway();
  ({ gateway, service: upstream } = recorded);
});
afterAll(() => recorded?.stop());
beforeEach(() => upstream.clear());

const validate = `query ($entries: [IssueEntryInput!]!) {
  validateSRRs(entries: $entries) { valid userErrors { code message path externalId } }
}`;
const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message path externalId } }
}`;

interface Shown {
  code: string;
  message: string;
  path: string[];
  externalId: string | null;
}

/** The faults of the dry run, after checking that the mutation reports the same and stores nothing. */
async function faultsOf(entries: Fields[]): Promise<Shown[]> {
  const { validateSRRs } = await gateway.caller.data(validate, { entries });
  const requestId = randomUUID();
  const { issueSRRs } = await gateway.caller.data(issue, { input: { requestId, entries } });
  const { issuance } = await gateway.caller.data(
    'query ($requestId: String!) { issuance(requestId: $requestId) { id } }',
    { requestId },
  );
  expect(validateSRRs.valid).toBe(false);
  expect(issueSRRs).toEqual({
    issuance: null,
    userErrors: validateSRRs.userErrors.map((fault: Shown) => ({ ...fault, path: ['input', ...fault.path] })),
  });
  expect(issuance).toBeNull();
  expect(serviceCalls()).toEqual([]);
  return validateSRRs.userErrors;
}

/** Calls of the commerce API, without those that fetch a schema. */
const serviceCalls = () => Object.keys(upstream.counts()).filter((call) => !call.endsWith('.schema.json'));

const places = (faults: Shown[]) => faults.map(({ code, path }) => [code, path.join('.')]);

/** A valid entry, with more or other fields. */
const typed = (over: Fields = {}) => entry(gateway.info, `typed ${randomUUID()}`, { ipfs: published }, over);
const withMetadata = (metadata: Fields, over: Fields = {}) => typed({ metadata, ...over });

function json(document: Fields = {}, over: Fields = {}): Fields {
  const { metadata: _, ...rest } = entry(gateway.info, `json ${randomUUID()}`, {}, over);
  return {
    ...rest,
    metadataJson: {
      $schema: schema('2.2'),
      name: randomUUID(),
      title: { en: 'Harbour' },
      medium: { en: 'Oil' },
      yearOfCreation: { en: '2026' },
      thumbnailURL: uploaded,
      image: published,
      ...document,
    },
  };
}

const attached = (category: string, file: Fields) =>
  typed({ attachments: [{ name: 'a.pdf', category, file }] });
const key = (filename: string, category: string) => ({ file: { filename, category } });

type Case = [rule: string, entry: () => Fields, ...faults: [code: string, path: string][]];

/** Each rule of the service's documentation that a client can check, by its tables. */
const rules: Record<string, Case[]> = {
  'an issue entry': [
    [
      'has an externalId that is not empty',
      () => typed({ externalId: '' }),
      ['EXTERNAL_ID_INVALID', 'externalId'],
    ],
    ['has metadata', () => without(typed()), ['METADATA_MISSING', 'metadata']],
    [
      'has its metadata in one form only',
      () => ({ ...typed(), metadataJson: {} }),
      ['METADATA_INVALID', 'metadataJson'],
    ],
    [
      'has metadata that is a JSON object',
      () => ({ ...without(typed()), metadataJson: ['text'] }),
      ['METADATA_INVALID', 'metadataJson'],
    ],
  ],
  'a file': [
    [
      'has an extension',
      () => withMetadata({ image: key('picture', 'ARTWORK') }),
      ['FILENAME_EXTENSION_MISSING', 'metadata.image'],
    ],
    [
      'has no space in its name',
      () => attached('CERTIFICATE', key('a b.pdf', 'CERTIFICATE')),
      ['FILENAME_HAS_SPACE', 'attachments.0.file'],
    ],
    [
      'has an upload id that exists',
      () => withMetadata({ thumbnail: { upload: 'VXBsb2FkOng=' } }),
      ['INVALID_INPUT', 'metadata.thumbnail.upload'],
    ],
    [
      'on IPFS has a valid CID',
      () => withMetadata({ image: { ipfs: 'nope' }, thumbnail: { ipfs: 'ipfs://nope' } }),
      ['FILE_URL_NOT_ALLOWED', 'metadata.thumbnail'],
      ['FILE_URL_NOT_ALLOWED', 'metadata.image'],
    ],
    [
      'has a web address or an IPFS address',
      () => withMetadata({ image: { finalUrl: 'ftp://static.test/a.png' } }),
      ['FILE_URL_NOT_ALLOWED', 'metadata.image'],
    ],
    [
      'of a metadata document has a web address or an IPFS address too',
      () => json({ image: 'a.png', contractTerms: { fileURL: 'ipfs://' }, thumbnailURL: '' }),
      ['FILE_URL_NOT_ALLOWED', 'metadataJson.thumbnailURL'],
      ['FILE_URL_NOT_ALLOWED', 'metadataJson.image'],
      ['FILE_URL_NOT_ALLOWED', 'metadataJson.contractTerms.fileURL'],
    ],
    ...['CERTIFICATE', 'FOR_AUTHENTICITY', 'INSTALLATION'].map(
      (category): Case => [
        `in metadata is public, not ${category}`,
        () => withMetadata({ contractTerms: { file: key('a.pdf', category) } }),
        ['FILE_NOT_PUBLIC', 'metadata.contractTerms.file'],
      ],
    ),
  ],
  'an attachment': [
    [
      'has one of four categories',
      () => attached('NON_ATTACHMENT_FILE', key('a.pdf', 'NON_ATTACHMENT_FILE')),
      ['CATEGORY_INVALID', 'attachments.0.category'],
    ],
    [
      'has the category that it was uploaded under',
      () => attached('ARTWORK', key('a.pdf', 'CERTIFICATE')),
      ['CATEGORY_INVALID', 'attachments.0.category'],
    ],
    [
      'is an upload, not a reference to IPFS',
      () => attached('ARTWORK', { ipfs: published }),
      ['FILE_URL_NOT_ALLOWED', 'attachments.0.file'],
    ],
    [
      'is an upload, not an IPFS address',
      () => attached('ARTWORK', { finalUrl: published }),
      ['FILE_URL_NOT_ALLOWED', 'attachments.0.file'],
    ],
  ],
  'typed metadata': [
    [
      'has a known schema version',
      () => withMetadata({ schemaVersion: '1.1' }),
      ['METADATA_INVALID', 'metadata.schemaVersion'],
    ],
    [
      'has a recipient other than the zero address',
      () => typed({ to: `0x${'0'.repeat(40)}` }),
      ['ADDRESS_INVALID', 'to'],
    ],
    [
      'has a unit of the enumeration',
      () => withMetadata({ size: { unit: 'mile' } }),
      ['METADATA_INVALID', 'metadata.size.unit'],
    ],
    [
      'has a royalty of at least 0',
      () => withMetadata({ contractTerms: { royaltyRate: -0.1 } }),
      ['METADATA_INVALID', 'metadata.contractTerms.royaltyRate'],
    ],
    [
      'has a royalty of at most 100',
      () => withMetadata({ contractTerms: { royaltyRate: 100.1 } }),
      ['METADATA_INVALID', 'metadata.contractTerms.royaltyRate'],
    ],
    [
      'of a digital work has attached artwork',
      () => withMetadata({ isDigital: true }, { attachments: [] }),
      ['METADATA_INVALID', 'metadata.isDigital'],
    ],
  ],
  'a metadata document': [
    ...['$schema', 'name', 'title', 'medium', 'yearOfCreation', 'thumbnailURL', 'image'].map(
      (property): Case => [
        `has its ${property}`,
        () => json({ [property]: undefined }),
        ['METADATA_INVALID', `metadataJson.${property}`],
      ],
    ),
    [
      'names a version that the service accepts',
      () => json({ $schema: schema('1.1') }),
      ['METADATA_INVALID', 'metadataJson.$schema'],
    ],
    [
      'names its schema by an address; otherwise its other faults are reported too',
      () => json({ $schema: 'registry-record-metadata', title: undefined }),
      ['METADATA_INVALID', 'metadataJson.$schema'],
      ['METADATA_INVALID', 'metadataJson.title'],
    ],
    [
      'has a digest as $schemaIntegrity',
      () => json({ $schema: schema('2.0'), $schemaIntegrity: 'md5-0' }),
      ['METADATA_INVALID', 'metadataJson.$schemaIntegrity'],
    ],
    [
      'has only properties of its version',
      () => json({ $schema: schema('2.1'), attributes: [], artist: 'me' }),
      ['METADATA_INVALID', 'metadataJson.attributes'],
      ['METADATA_INVALID', 'metadataJson.artist'],
    ],
    [
      'has values of the right type at every depth',
      () =>
        json({ name: 5, title: 'text', note: { en: null }, edition: { number: 1.5 }, isDigital: nested(40) }),
      ['METADATA_INVALID', 'metadataJson.name'],
      ['METADATA_INVALID', 'metadataJson.title'],
      ['METADATA_INVALID', 'metadataJson.note.en'],
      ['METADATA_INVALID', 'metadataJson.edition.number'],
      ['METADATA_INVALID', 'metadataJson.isDigital'],
    ],
    ['has a bounded depth', () => json({ note: nested(70) }), ['INVALID_INPUT', 'metadataJson']],
    [
      'has numbers that lose no digits',
      () =>
        json({
          attributes: [2 ** 53 - 1, -(2 ** 53), 2 ** 53].map((value) => ({ trait_type: 'serial', value })),
        }),
      ['METADATA_INVALID', 'metadataJson.attributes.1.value'],
      ['METADATA_INVALID', 'metadataJson.attributes.2.value'],
    ],
    ['has text that can be stored', () => json({ name: 'NUL \0' }), ['INVALID_INPUT', 'metadataJson.name']],
    [
      'has a unit of the enumeration',
      () => json({ size: { unit: 'mile' } }),
      ['METADATA_INVALID', 'metadataJson.size.unit'],
    ],
    [
      'has a royalty of 0 to 100',
      () => json({ contractTerms: { royaltyRate: 101 } }),
      ['METADATA_INVALID', 'metadataJson.contractTerms.royaltyRate'],
    ],
    [
      'of a digital work has components or attached artwork',
      () => json({ isDigital: true }),
      ['METADATA_INVALID', 'metadataJson.isDigital'],
    ],
    [
      'has a digest and a category for each component',
      () => json({ digitalComponents: [{ hash: 'x' }] }),
      ['METADATA_INVALID', 'metadataJson.digitalComponents.0.category'],
      ['METADATA_INVALID', 'metadataJson.digitalComponents.0.hash'],
    ],
    [
      'has texts by language tags',
      () => json({ title: { english: 'x', 'zh-Hant': 'x' } }),
      ['METADATA_INVALID', 'metadataJson.title.english'],
    ],
    [
      'has the same chips under both names',
      () => json({ chipUIDs: ['04'], vendorCertICTagUIDs: ['05'] }),
      ['METADATA_INVALID', 'metadataJson.vendorCertICTagUIDs'],
    ],
  ],
};

const without = ({ metadata: _, ...rest }: Fields) => rest;
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe.each(Object.entries(rules))('%s', (_, cases) => {
  it.each(cases)('%s', async (_rule, broken, ...faults) => {
    const found = await faultsOf([broken()]);
    expect(places(found)).toEqual(faults.map(([code, path]) => [code, `entries.0.${path}`]));
    for (const { message } of found) expect(message).toMatch(/\w.*\.$/);
  });
});

describe('a batch', () => {
  it('has at least one entry', async () => {
    expect(places(await faultsOf([]))).toEqual([['INVALID_INPUT', 'entries']]);
  });

  it.each([
    ['artistAddress', '0x12'],
    ['to', 'me'],
    ['collectionAddress', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ])('has addresses with a valid form and checksum: %s', async (field, value) => {
    const entries = [typed(), typed({ [field]: value })];
    for (const [query, variables, path] of [
      [validate, { entries }, `entries[1].${field}`],
      [issue, { input: { entries } }, `input.entries[1].${field}`],
    ] as const) {
      const { data, errors } = await gateway.caller.ask(query, variables);
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
      expect(errors?.[0]?.message).toContain(`at "${path}"; Address must be 0x and 40 hex digits`);
    }
    expect(upstream.counts()).toEqual({});
  });

  const again = (over: Fields = {}) => withMetadata({ name: 'again', title: { en: 'again' }, ...over });
  it.each([
    [
      'an externalId',
      () => [typed({ externalId: 'x' }), json({}, { externalId: 'x' })],
      'DUPLICATE_EXTERNAL_ID',
      'externalId',
    ],
    [
      'a chip',
      () => [withMetadata({ chipUIDs: ['04', '05'] }), withMetadata({ chipUIDs: ['06', '05'] })],
      'DUPLICATE_CHIP',
      'metadata.chipUIDs.1',
    ],
    [
      'a chip, under either property name',
      () => [withMetadata({ chipUIDs: ['05'] }), json({ vendorCertICTagUIDs: ['05'] })],
      'DUPLICATE_CHIP',
      'metadataJson.vendorCertICTagUIDs.0',
    ],
    ['the same metadata of one artist', () => [again(), again()], 'DUPLICATE_METADATA', 'metadata'],
    [
      'the same document of one artist, in any order of its keys',
      () =>
        [json({ name: 'x' }), json({ name: 'x' })].map(({ metadataJson, ...rest }, i) => ({
          ...rest,
          metadataJson:
            i === 0 ? metadataJson : Object.fromEntries(Object.entries(metadataJson as Fields).reverse()),
        })),
      'DUPLICATE_METADATA',
      'metadataJson',
    ],
  ])('may have %s only once', async (_, entries, code, path) => {
    expect(places(await faultsOf([typed(), ...entries()]))).toEqual([[code, `entries.2.${path}`]]);
  });

  it('gets the faults of all entries at once, each with its externalId', async () => {
    const [first, second, third] = [
      withMetadata({ size: { unit: 'mile' }, image: { ipfs: 'nope' } }, { externalId: 'same' }),
      typed(),
      json({ title: undefined, contractTerms: { royaltyRate: 101 } }, { externalId: 'same' }),
    ];
    const found = await faultsOf([first, second, third]);
    expect(found.map(({ code, path, externalId }) => [code, path.join('.'), externalId])).toEqual([
      ['METADATA_INVALID', 'entries.0.metadata.size.unit', 'same'],
      ['FILE_URL_NOT_ALLOWED', 'entries.0.metadata.image', 'same'],
      ['METADATA_INVALID', 'entries.2.metadataJson.title', 'same'],
      ['METADATA_INVALID', 'entries.2.metadataJson.contractTerms.royaltyRate', 'same'],
      ['DUPLICATE_EXTERNAL_ID', 'entries.2.externalId', 'same'],
    ]);
  });

  it('with thousands of faults in one entry gets the first ones and the number of the rest', async () => {
    const surplus = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field-${i}`, i]));
    const found = await faultsOf([json(surplus, { externalId: 'full' }), typed({ externalId: '' })]);
    expect(places(found.slice(-2))).toEqual([
      ['INVALID_INPUT', 'entries.0'],
      ['EXTERNAL_ID_INVALID', 'entries.1.externalId'],
    ]);
    expect(found).toHaveLength(22);
    expect(found[20]).toMatchObject({
      message: 'This entry has 4980 more faults. Correct those above and check again.',
      externalId: 'full',
    });
  });

  it('with faults in thousands of entries gets the first ones and the number of the rest', async () => {
    const broken = withMetadata({ size: { unit: 'mile' } });
    const found = await faultsOf(Array.from({ length: 5_000 }, () => broken));
    // The first entry has one fault; each other entry also repeats its externalId and its metadata.
    const listed = 1 + 3 * 83;
    expect(found).toHaveLength(listed + 1);
    expect(found.at(-1)).toEqual({
      code: 'INVALID_INPUT',
      message: 'There are 14748 more faults, in 4916 more entries. Correct those above and check again.',
      path: ['entries'],
      externalId: null,
    });
  });
});

it('the address of a private file is recognized and refused', async () => {
  await gateway.caller.upload('private.pdf', 'CERTIFICATE', 'a certificate');
  const { uploads } = await gateway.caller.data(
    '{ uploads(files: [{ filename: "private.pdf", category: CERTIFICATE }]) { finalUrl } }',
  );
  const [{ finalUrl }] = uploads;
  upstream.clear();
  const found = await faultsOf([withMetadata({ image: { finalUrl } }), json({ thumbnailURL: finalUrl })]);
  expect(places(found)).toEqual([
    ['FILE_NOT_PUBLIC', 'entries.0.metadata.image'],
    ['FILE_NOT_PUBLIC', 'entries.1.metadataJson.thumbnailURL'],
  ]);
});

describe('the preflight leaves to the service what its documentation leaves open', () => {
  const accepted: [what: string, entries: () => Fields[]][] = [
    [
      'typed metadata of every version',
      () => ['2.0', '2.1', '2.2'].map((schemaVersion) => withMetadata({ schemaVersion })),
    ],
    [
      'documents of every version',
      () => ['2.0', '2.1', '2.2'].map((version) => json({ $schema: schema(version) })),
    ],
    [
      'future schema versions',
      () => ['2.3', '3.0', '10.1'].map((version) => json({ $schema: schema(version), news: [1] })),
    ],
    [
      'a schema by its CID',
      () => [
        json({ $schema: 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay' }),
        json({ $schema: 'ipfs://bafkreif77ionobe56gawqnplet46x3sjfinx3krm4reldzn7v6c2nfrmy4' }),
      ],
    ],
    ['the digest of a schema', () => [json({ $schemaIntegrity: `sha256-${'0'.repeat(64)}` })]],
    ['the host of a file', () => [json({ image: 'https://elsewhere.test/a.png' })]],
    ['the form of a chip', () => [withMetadata({ chipUIDs: ['none', 'none'] })]],
    [
      'any language tag of BCP 47',
      () => [
        withMetadata({ title: { 'zh-Hant': 'x', gsw: 'x', 'x-artist': 'x' } }),
        json({ note: { 'sr-Latn-RS': 'x', EN: 'x', 'de-1996-u-co-phonebk': 'x' } }),
      ],
    ],
    [
      'chips in another order under the other name',
      () => [json({ chipUIDs: ['04', '05'], vendorCertICTagUIDs: ['05', '04'] })],
    ],
    ['chips under either name', () => [json({ chipUIDs: ['04'] }), json({ vendorCertICTagUIDs: ['05'] })]],
    ['a blank externalId', () => [typed({ externalId: ' ' })]],
    [
      'any uniqueness and proof type',
      () => [withMetadata({ edition: { uniqueness: 'one', proofType: 'XP' } })],
    ],
    [
      'a digital work with artwork',
      () => [
        {
          ...attached('ARTWORK', { finalUrl: uploaded }),
          ...{ metadata: { ...(typed().metadata as Fields), isDigital: true } },
        },
      ],
    ],
    [
      'the same metadata with different attachments, which make different records',
      () => {
        const { metadata } = typed();
        return ['a', 'b'].map((name) => ({
          ...attached('ARTWORK', { finalUrl: `${uploaded}${name}` }),
          metadata,
        }));
      },
    ],
    [
      'the same metadata for two artists',
      () => {
        const { metadata } = typed();
        return gateway.info.artists
          .slice(0, 2)
          .map(({ address }) => ({ ...typed(), metadata, artistAddress: address }));
      },
    ],
  ];

  it.each(accepted)('%s', async (_, entries) => {
    const { validateSRRs } = await gateway.caller.data(validate, { entries: entries() });
    expect(validateSRRs).toEqual({ valid: true, userErrors: [] });
  });
});
