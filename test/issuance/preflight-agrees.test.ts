import {
  MetadataCheck,
  readWorldFile,
  schemaUrl,
  schemaVersions,
} from '@srr-gateway/sandbox/testing/metadata-rules';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntryInput } from '../../src/issuance/input.ts';
import { withChipAlias } from '../../src/issuance/metadata-document.ts';
import { checkEntries } from '../../src/issuance/preflight/check-entries.ts';
import type { Fault } from '../../src/model/errors.ts';

type Document = Record<string, unknown>;

// The gateway's preflight and the sandbox's check implement the service's documentation independently.
const vendor = 'vendor';
const base = 'https://api.vendor.io';
const service = new MetadataCheck(vendor, () => [base]);

/** Whether the service accepts the document in the form in which the gateway sends it. */
function isAccepted(document: Document): boolean {
  const { chipUIDs, vendorCertICTagUIDs: alias } = document;
  // Version 2.0 has only one of the two names, and the gateway does not choose between different lists.
  if (chipUIDs !== undefined && alias !== undefined && JSON.stringify(chipUIDs) !== JSON.stringify(alias))
    return false;
  // The gateway refuses numbers that lose digits on their way.
  if (numbersIn(document).some((number) => Math.abs(number) > Number.MAX_SAFE_INTEGER)) return false;
  return 'version' in service.judge(withChipAlias(document, vendor), { artworkAttached: false });
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function faultsOf(metadataJson: Document): Fault[] {
  const artistAddress = '0x41186A58A1C78b6Aea4F265f97584B3B68D7B19F';
  const flags = { isPrimaryIssuer: true, lockExternalTransfer: false };
  const entry: EntryInput = { externalId: 'x', metadataJson, artistAddress, ...flags, attachments: [] };
  return checkEntries([entry], { vendorPrefix: vendor, categoryOf: () => undefined });
}

/** Fixed, so that every run has the same documents. */
const seed = 20_333_748;

const hash = `sha256-${'0'.repeat(64)}`;
const file = 'ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';
const map = { en: 'A text', ja: '文' };
/** Every property of any version, with a valid value. */
const properties: Document = {
  name: 'Harbour',
  title: map,
  medium: map,
  yearOfCreation: map,
  thumbnailURL: file,
  image: file,
  description: 'A text',
  external_url: 'https://elsewhere.test',
  note: map,
  isDigital: true,
  digitalComponents: [{ category: 'artwork', hash }],
  attachmentFiles: [{ category: 'certificate', hash }],
  chipUIDs: ['04'],
  vendorCertICTagUIDs: ['04'],
  digitalDataHash: hash,
  attributes: [{ trait_type: 'mood', value: 'calm' }],
  size: { width: 1, height: 2, depth: 3.5, unit: 'mm', flexibleDescription: map },
  edition: { uniqueness: 'unique work', proofType: 'ED', number: 1, totalNumber: 3, note: map },
  contractTerms: { royaltyRate: 15.7, fileURL: file },
};
const required = ['name', 'title', 'medium', 'yearOfCreation', 'thumbnailURL', 'image'];

const anyValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...Object.values(properties), { royaltyRate: 0 }, { unit: 'mile' }, { en: null }, null, -1),
  fc.jsonValue({ maxDepth: 3 }),
);
const changes = fc.oneof(
  fc.record({
    in: fc.constantFrom(...Object.keys(properties)),
    value: fc.option(anyValue, { nil: undefined }),
  }),
  fc.record({
    in: fc.constantFrom('size', 'edition', 'contractTerms', 'title'),
    at: fc.string(),
    value: anyValue,
  }),
  fc.record({
    in: fc.constant('size'),
    at: fc.constantFrom('width', 'unit', 'flexibleDescription'),
    value: anyValue,
  }),
  fc.record({ in: fc.string(), value: anyValue }),
);

/** Valid documents, and valid ones with small changes. */
const documents = fc
  .record({
    version: fc.constantFrom(...schemaVersions),
    chosen: fc.subarray(Object.keys(properties).filter((name) => !required.includes(name))),
    changed: fc.array(changes, { maxLength: 2 }),
  })
  .map(({ version, chosen, changed }) => {
    const names = [...required, ...chosen];
    const document: Document = Object.fromEntries(names.map((name) => [name, properties[name]]));
    for (const change of changed)
      document[change.in] =
        'at' in change ? { ...(document[change.in] as Document), [change.at]: change.value } : change.value;
    // As it arrives in JSON, without undefined properties.
    return JSON.parse(JSON.stringify({ ...document, $schema: schemaUrl(base, version) })) as Document;
  });

describe('preflight', () => {
  it('finds fault with a document exactly when the service does', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(documents, (document) => {
        const faults = faultsOf(document).filter(({ code }) => code === 'METADATA_INVALID');
        expect(faults.length === 0, JSON.stringify(faults)).toBe(isAccepted(document));
        seen[faults.length === 0 ? 'accepted' : 'refused'] += 1;
      }),
      { numRuns: 2_000, seed },
    );
    // Both accepted and refused documents were tried.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(200);
  });

  it('accepts every document of the seeded world', async () => {
    const world = await readWorldFile();
    const texts = [
      ...world.legacy.map(({ document }) => document),
      ...world.contents.flatMap(({ contentType, text }) =>
        contentType === 'application/json' && text ? [text] : [],
      ),
    ];
    const records = texts.map((text) => JSON.parse(text) as Document).filter(isAccepted);
    expect(records.length).toBeGreaterThan(200);
    for (const document of records) expect(faultsOf(document)).toEqual([]);
  });
});
