import { builder } from '../builder.ts';
import { FileCategoryEnum } from './file-category.ts';
import { FileRefInput } from './file-ref.ts';

const AttachmentInput = builder.inputType('AttachmentInput', {
  description: 'An uploaded file that belongs to the record; the service folds its hash into the metadata.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'File name on download, with the extension of the file.' }),
    category: t.field({
      type: FileCategoryEnum,
      required: true,
      description: 'The one it was uploaded under; not NON_ATTACHMENT_FILE.',
    }),
    file: t.field({ type: FileRefInput, required: true, description: 'Which file.' }),
  }),
});

const SizeInput = builder.inputType('SizeInput', {
  description: 'How large the work is.',
  fields: (t) => ({
    width: t.float({ description: 'In units.' }),
    height: t.float({ description: 'In units.' }),
    depth: t.float({ description: 'In units.' }),
    unit: t.string({ description: 'mm, cm, m, in, ft or pixel.' }),
    flexibleDescription: t.field({ type: 'LanguageMap', description: 'For sizes that numbers do not fit.' }),
  }),
});

const EditionInput = builder.inputType('EditionInput', {
  description: 'Which of how many.',
  fields: (t) => ({
    uniqueness: t.string({ description: 'E.g. "unique work".' }),
    proofType: t.string({ description: 'E.g. "ED".' }),
    number: t.int({ description: 'Of this copy.' }),
    totalNumber: t.int({ description: 'Of all copies.' }),
    note: t.field({ type: 'LanguageMap', description: 'Free text.' }),
  }),
});

const ContractTermsInput = builder.inputType('ContractTermsInput', {
  description: 'Terms of the contract that comes with the record.',
  fields: (t) => ({
    royaltyRate: t.float({ description: 'Percent of a resale, 0 to 100.' }),
    file: t.field({ type: FileRefInput, description: 'The terms, a public file.' }),
  }),
});

const SRRMetadataInput = builder.inputType('SRRMetadataInput', {
  description: 'The metadata document of a record, typed. It becomes public on IPFS and cannot be changed.',
  fields: (t) => ({
    schemaVersion: t.string({
      defaultValue: '2.2',
      description: 'Version of the metadata schema: 2.0, 2.1, 2.2, or a later one that the service has.',
    }),
    name: t.string({ required: true, description: 'Shown by wallets and marketplaces.' }),
    title: t.field({ type: 'LanguageMap', required: true, description: 'Of the work.' }),
    medium: t.field({ type: 'LanguageMap', required: true, description: 'What it is made of.' }),
    yearOfCreation: t.field({
      type: 'LanguageMap',
      required: true,
      description: 'Free text, such as a range.',
    }),
    thumbnail: t.field({
      type: FileRefInput,
      required: true,
      description: 'A small picture, a public file.',
    }),
    image: t.field({ type: FileRefInput, required: true, description: 'The picture, a public file.' }),
    description: t.string({ description: 'For marketplaces.' }),
    externalUrl: t.field({ type: 'URL', description: 'A page about the work; never uploaded.' }),
    size: t.field({ type: SizeInput, description: 'How large it is.' }),
    edition: t.field({ type: EditionInput, description: 'Which of how many.' }),
    contractTerms: t.field({ type: ContractTermsInput, description: 'Royalty and terms.' }),
    note: t.field({ type: 'LanguageMap', description: 'Free text.' }),
    isDigital: t.boolean({ description: 'A digital work: it needs an attachment of category ARTWORK.' }),
    chipUIDs: t.stringList({
      description: 'UIDs of its NFC tags. The gateway fills the deprecated alias with the same values.',
    }),
  }),
});

export const IssueEntryInput = builder.inputType('IssueEntryInput', {
  description: 'One record to issue.',
  fields: (t) => ({
    externalId: t.string({
      required: true,
      description: 'A reference of your own, never used before (a UUID is a good one).',
    }),
    metadata: t.field({ type: SRRMetadataInput, description: 'Typed; or metadataJson.' }),
    metadataJson: t.field({
      type: 'JSON',
      description: 'The document as you have it, with files as finalUrl or ipfs:// addresses.',
    }),
    artistAddress: t.field({ type: 'Address', required: true, description: 'A licensed user.' }),
    isPrimaryIssuer: t.boolean({ required: true, description: 'Whether the issuer is the primary one.' }),
    lockExternalTransfer: t.boolean({
      required: true,
      description: 'True forbids transfer by the standard ERC-721 methods, as marketplaces use them.',
    }),
    to: t.field({ type: 'Address', description: 'Who gets it after minting; absent: the issuer.' }),
    collectionAddress: t.field({
      type: 'Address',
      description: 'A collection of the issuer to mint into; absent: the registry.',
    }),
    attachments: t.field({ type: [AttachmentInput], description: 'Files that belong to it.' }),
  }),
});

export type IssueEntryValue = typeof IssueEntryInput.$inferInput;
export type SRRMetadataValue = typeof SRRMetadataInput.$inferInput;
