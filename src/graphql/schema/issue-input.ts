import { builder } from './builder.ts';
import { FileCategoryEnum } from './file-category.ts';
import { FileRefInput } from './file-ref.ts';

const AttachmentInput = builder.inputType('AttachmentInput', {
  description:
    'An uploaded file that belongs to the record. The issuance service writes its hash into the metadata document.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The filename for downloads, with the extension of the file.',
    }),
    category: t.field({
      type: FileCategoryEnum,
      required: true,
      description: 'The category that the file was uploaded under. NON_ATTACHMENT_FILE is refused.',
    }),
    file: t.field({ type: FileRefInput, required: true, description: 'The uploaded file.' }),
  }),
});

const SizeInput = builder.inputType('SizeInput', {
  description: 'The size of the work.',
  fields: (t) => ({
    width: t.float({ description: 'The width, as a number of `unit`.' }),
    height: t.float({ description: 'The height, as a number of `unit`.' }),
    depth: t.float({ description: 'The depth, as a number of `unit`.' }),
    unit: t.string({ description: 'The unit of the numbers: mm, cm, m, in, ft or pixel.' }),
    flexibleDescription: t.field({
      type: 'LanguageMap',
      description: 'A description of the size in words, by language, for works that numbers do not fit.',
    }),
  }),
});

const EditionInput = builder.inputType('EditionInput', {
  description: 'The edition of the work: which copy of how many.',
  fields: (t) => ({
    uniqueness: t.string({
      description: 'The uniqueness of the work as the metadata schema defines it, such as "unique work".',
    }),
    proofType: t.string({
      description: 'The type of proof as the metadata schema defines it, such as "ED".',
    }),
    number: t.int({ description: 'The number of this copy within the edition.' }),
    totalNumber: t.int({ description: 'The total number of copies in the edition.' }),
    note: t.field({ type: 'LanguageMap', description: 'A free-text note on the edition, by language.' }),
  }),
});

const ContractTermsInput = builder.inputType('ContractTermsInput', {
  description: 'The terms of the contract that comes with the record.',
  fields: (t) => ({
    royaltyRate: t.float({ description: 'The royalty on a resale, in percent from 0 to 100.' }),
    file: t.field({ type: FileRefInput, description: 'A public file with the text of the terms.' }),
  }),
});

const SRRMetadataInput = builder.inputType('SRRMetadataInput', {
  description:
    'The metadata document of a record, as typed fields. The document becomes public on IPFS and cannot be changed.',
  fields: (t) => ({
    schemaVersion: t.string({
      defaultValue: '2.2',
      description:
        'The version of the metadata schema: 2.0, 2.1, 2.2, or a later one that the issuance service has.',
    }),
    name: t.string({
      required: true,
      description: 'The name of the record, shown by wallets and marketplaces.',
    }),
    title: t.field({
      type: 'LanguageMap',
      required: true,
      description: 'The title of the work, by language.',
    }),
    medium: t.field({
      type: 'LanguageMap',
      required: true,
      description: 'The medium of the work (what it is made of), by language.',
    }),
    yearOfCreation: t.field({
      type: 'LanguageMap',
      required: true,
      description: 'The year of creation, by language: free text, so it may be a range.',
    }),
    thumbnail: t.field({
      type: FileRefInput,
      required: true,
      description: 'A small picture of the work, as a public file.',
    }),
    image: t.field({
      type: FileRefInput,
      required: true,
      description: 'The picture of the work, as a public file.',
    }),
    description: t.string({ description: 'A description of the record for marketplaces.' }),
    externalUrl: t.field({
      type: 'URL',
      description: 'The address of a page about the work. It may be on any host; the page is never uploaded.',
    }),
    size: t.field({ type: SizeInput, description: 'The size of the work.' }),
    edition: t.field({ type: EditionInput, description: 'The edition of the work: which copy of how many.' }),
    contractTerms: t.field({
      type: ContractTermsInput,
      description: 'The royalty and the terms of the contract that comes with the record.',
    }),
    note: t.field({ type: 'LanguageMap', description: 'A free-text note on the work, by language.' }),
    isDigital: t.boolean({
      description: 'Whether the work is digital. If true, the entry needs an attachment of category ARTWORK.',
    }),
    chipUIDs: t.stringList({
      description:
        'The UIDs of the record’s NFC tags. The gateway fills the deprecated alias field with the same values.',
    }),
  }),
});

export const IssueEntryInput = builder.inputType('IssueEntryInput', {
  description: 'One record to issue.',
  fields: (t) => ({
    externalId: t.string({
      required: true,
      description:
        'The issuer’s own reference of the record; a UUID is a good choice. It must not have been used before, unless that entry was refused.',
    }),
    metadata: t.field({
      type: SRRMetadataInput,
      description: 'The metadata as typed fields. Give exactly one of metadata and metadataJson.',
    }),
    metadataJson: t.field({
      type: 'JSON',
      description:
        'The metadata document as JSON, with files as finalUrl or ipfs:// addresses. Give exactly one of metadata and metadataJson.',
    }),
    artistAddress: t.field({
      type: 'Address',
      required: true,
      description: 'The wallet address of the artist, who must be a licensed user.',
    }),
    isPrimaryIssuer: t.boolean({
      required: true,
      description: 'Whether the issuer is the primary issuer of the work.',
    }),
    lockExternalTransfer: t.boolean({
      required: true,
      description: 'Whether to forbid transfers by the standard ERC-721 methods, which marketplaces use.',
    }),
    to: t.field({
      type: 'Address',
      description: 'The address that gets the record after minting. The issuer keeps it when this is absent.',
    }),
    collectionAddress: t.field({
      type: 'Address',
      description:
        'The contract address of a collection of the issuer to mint into. The record goes to the registry when this is absent.',
    }),
    attachments: t.field({
      type: [AttachmentInput],
      description: 'The uploaded files that belong to the record.',
    }),
  }),
});

export type IssueEntryValue = typeof IssueEntryInput.$inferInput;
export type SRRMetadataValue = typeof SRRMetadataInput.$inferInput;
