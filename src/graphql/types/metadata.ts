import type { MetadataResult } from '../../catalog/catalog.ts';
import {
  chipUIDs,
  type DocumentView,
  digitalComponents,
  documentView,
  hashedFiles,
  integerOf,
  languageMap,
  linkOf,
  numberOf,
  textOf,
} from '../../catalog/document-view.ts';
import { builder } from '../builder.ts';
import { pickLanguage } from '../pick-language.ts';
import { MetadataStatusEnum } from './metadata-status.ts';

const LocalizedText = builder.objectRef<Record<string, string>>('LocalizedText').implement({
  description: 'Text in several languages.',
  fields: (t) => ({
    text: t.string({
      nullable: false,
      description: 'In the first language that there is: of the argument, of Accept-Language, English, any.',
      args: { languages: t.arg.stringList({ description: 'BCP-47 codes, most wanted first.' }) },
      resolve: (all, { languages }, context) =>
        pickLanguage(all, [...(languages ?? []), ...context.languages, 'en']),
    }),
    all: t.field({
      type: 'LanguageMap',
      nullable: false,
      description: 'Every language.',
      resolve: (all) => all,
    }),
  }),
});

const Media = builder.objectRef<string>('Media').implement({
  description: 'A picture or file that the metadata names.',
  fields: (t) => ({
    uri: t.string({
      nullable: false,
      description: 'As recorded: ipfs://, an https address, or a bare CID.',
      resolve: (uri) => uri,
    }),
    url: t.field({
      type: 'URL',
      nullable: false,
      description:
        'Where a browser can load it: through the preferred gateway when it is on IPFS, else as recorded.',
      resolve: (uri, _args, { fresh }) => fresh.reads.media(uri)?.url ?? uri,
    }),
    cid: t.field({
      type: 'CID',
      description: 'When it is on IPFS.',
      resolve: (uri, _args, { fresh }) => fresh.reads.media(uri)?.cid ?? null,
    }),
  }),
});

const HashedFile = builder.objectRef<{ hash: string; category: string }>('HashedFile').implement({
  description: 'A file that belongs to a record, by its hash.',
  fields: (t) => ({
    hash: t.exposeString('hash', { nullable: false, description: 'sha256-<hex> of its content.' }),
    category: t.exposeString('category', { nullable: false, description: 'As the service writes it.' }),
  }),
});

const SRRSize = builder.objectRef<DocumentView>('SRRSize').implement({
  description: 'How large the work is.',
  fields: (t) => ({
    width: t.float({ description: 'In units.', resolve: (size) => numberOf(size.width) }),
    height: t.float({ description: 'In units.', resolve: (size) => numberOf(size.height) }),
    depth: t.float({ description: 'In units.', resolve: (size) => numberOf(size.depth) }),
    unit: t.string({ description: 'mm, cm, m, in, ft or pixel.', resolve: (size) => textOf(size.unit) }),
    flexibleDescription: t.field({
      type: LocalizedText,
      description: 'For sizes that numbers do not fit.',
      resolve: (size) => languageMap(size.flexibleDescription),
    }),
  }),
});

const SRREdition = builder.objectRef<DocumentView>('SRREdition').implement({
  description: 'Which of how many.',
  fields: (t) => ({
    uniqueness: t.string({
      description: 'E.g. "unique work".',
      resolve: (edition) => textOf(edition.uniqueness),
    }),
    proofType: t.string({ description: 'E.g. "ED".', resolve: (edition) => textOf(edition.proofType) }),
    number: t.int({ description: 'Of this copy.', resolve: (edition) => integerOf(edition.number) }),
    totalNumber: t.int({
      description: 'Of all copies.',
      resolve: (edition) => integerOf(edition.totalNumber),
    }),
    note: t.field({
      type: LocalizedText,
      description: 'Free text.',
      resolve: (edition) => languageMap(edition.note),
    }),
  }),
});

const SRRContractTerms = builder.objectRef<DocumentView>('SRRContractTerms').implement({
  description: 'Terms of the contract that comes with the record.',
  fields: (t) => ({
    royaltyRate: t.float({
      description: 'Percent of a resale.',
      resolve: (terms) => numberOf(terms.royaltyRate),
    }),
    file: t.field({ type: Media, description: 'The terms.', resolve: (terms) => linkOf(terms.fileURL) }),
  }),
});

export const SRRMetadata = builder.objectRef<DocumentView>('SRRMetadata').implement({
  description:
    'The metadata document of a record. From IPFS. A field that is missing or of another type is null; raw has all of it.',
  fields: (t) => ({
    schema: t.string({
      nullable: false,
      description: 'Address of its schema version; empty when it names none.',
      resolve: (doc) => textOf(doc.$schema) ?? '',
    }),
    name: t.string({ description: 'Shown by wallets and marketplaces.', resolve: (doc) => textOf(doc.name) }),
    title: t.field({
      type: LocalizedText,
      description: 'Of the work.',
      resolve: (doc) => languageMap(doc.title),
    }),
    medium: t.field({
      type: LocalizedText,
      description: 'What it is made of.',
      resolve: (doc) => languageMap(doc.medium),
    }),
    yearOfCreation: t.field({
      type: LocalizedText,
      description: 'Free text.',
      resolve: (doc) => languageMap(doc.yearOfCreation),
    }),
    note: t.field({
      type: LocalizedText,
      description: 'Free text.',
      resolve: (doc) => languageMap(doc.note),
    }),
    description: t.string({ description: 'For marketplaces.', resolve: (doc) => textOf(doc.description) }),
    externalUrl: t.string({
      description: 'A page about the work.',
      resolve: (doc) => linkOf(doc.external_url),
    }),
    image: t.field({ type: Media, description: 'The picture.', resolve: (doc) => linkOf(doc.image) }),
    thumbnail: t.field({
      type: Media,
      description: 'A small picture.',
      resolve: (doc) => linkOf(doc.thumbnailURL),
    }),
    size: t.field({
      type: SRRSize,
      description: 'How large it is.',
      resolve: (doc) => documentView(doc.size),
    }),
    edition: t.field({
      type: SRREdition,
      description: 'Which of how many.',
      resolve: (doc) => documentView(doc.edition),
    }),
    contractTerms: t.field({
      type: SRRContractTerms,
      description: 'Royalty and terms.',
      resolve: (doc) => documentView(doc.contractTerms),
    }),
    isDigital: t.boolean({
      description: 'A digital work.',
      resolve: (doc) => (typeof doc.isDigital === 'boolean' ? doc.isDigital : null),
    }),
    digitalComponents: t.field({
      type: [HashedFile],
      nullable: { list: true, items: false },
      description: 'Files that the work itself consists of.',
      resolve: digitalComponents,
    }),
    attachmentFiles: t.field({
      type: [HashedFile],
      nullable: { list: true, items: false },
      description:
        'Certificates, evidence and instructions. The document names them by hash only; whoever knows the CID of one can read it.',
      resolve: (doc) => hashedFiles(doc.attachmentFiles),
    }),
    chipUIDs: t.stringList({
      nullable: { list: true, items: false },
      description: 'UIDs of its NFC tags.',
      resolve: chipUIDs,
    }),
    raw: t.field({
      type: 'JSON',
      nullable: false,
      description: 'The document itself.',
      resolve: (doc) => doc,
    }),
  }),
});

export const metadataOf = ({ document }: MetadataResult): DocumentView | null => document ?? null;

const MetadataDocument = builder.objectRef<MetadataResult & { cid: string }>('MetadataDocument').implement({
  description: 'A metadata document by its CID, whether or not a record has it. From IPFS.',
  fields: (t) => ({
    cid: t.field({ type: 'CID', nullable: false, description: 'As asked for.', resolve: ({ cid }) => cid }),
    status: t.field({
      type: MetadataStatusEnum,
      nullable: false,
      description: 'Whether it is there, and why not.',
      resolve: ({ status }) => status,
    }),
    metadata: t.field({
      type: SRRMetadata,
      description:
        'The document by its fields. Null when it could not be had, or is not a JSON object; status says why.',
      resolve: metadataOf,
    }),
    raw: t.field({
      type: 'JSON',
      description: 'The document itself.',
      resolve: ({ document }) => document ?? null,
    }),
  }),
});

builder.queryField('metadata', (t) =>
  t.field({
    type: MetadataDocument,
    nullable: false,
    description: 'A metadata document by its CID, verified.',
    args: { cid: t.arg({ type: 'CID', required: true, description: 'Of the document.' }) },
    resolve: async (_root, { cid }, { fresh }) => ({ ...(await fresh.reads.metadata(cid)), cid }),
  }),
);
