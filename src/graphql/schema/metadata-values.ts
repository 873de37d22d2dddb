import {
  integerOf,
  languageMap,
  linkOf,
  maxItems,
  numberOf,
  rawCid,
  textOf,
} from '../../catalog/metadata-accessors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { fileCategories } from '../../model/file.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { FileCategoryEnum } from './file-category.ts';
import { Media } from './media.ts';
import { maxWanted, pickLanguage } from './pick-language.ts';

const textIn = (
  all: Record<string, string>,
  wanted: readonly string[] | null | undefined,
  context: Context,
) =>
  pickLanguage(all, [...(wanted?.slice(0, maxWanted) ?? []), ...context.languages.slice(0, maxWanted), 'en']);

export const LocalizedText = builder.objectRef<Record<string, string>>('LocalizedText').implement({
  description: 'A text in one or more languages.',
  fields: (t) => ({
    text: t.string({
      nullable: false,
      description:
        'The text in the first language that has one: those of the argument, then Accept-Language, then English, then any.',
      args: {
        languages: t.arg.stringList({
          description: `The preferred languages as BCP-47 tags, the most preferred first. The first ${maxWanted} count.`,
        }),
      },
      resolve: (all, { languages }, context) => textIn(all, languages, context).text,
    }),
    language: t.string({
      description:
        'The language of what `text` returns, as a BCP-47 tag, for lang= in a page. Null when the document names no language.',
      args: {
        languages: t.arg.stringList({
          description: 'The preferred languages. Give the same as for text.',
        }),
      },
      resolve: (all, { languages }, context) => {
        const { language } = textIn(all, languages, context);
        return language === 'und' ? null : language;
      },
    }),
    all: t.field({
      type: 'LanguageMap',
      nullable: false,
      description: `The text in every language that the document has, the first ${maxItems}; "und" marks a text without a language.`,
      resolve: (all) => all,
    }),
  }),
});

export const HashedFile = builder.objectRef<{ hash: string; category: string }>('HashedFile').implement({
  description: 'A file that belongs to a record, identified by its hash.',
  fields: (t) => ({
    hash: t.exposeString('hash', {
      nullable: false,
      description: 'The hash of the file’s content, as sha256-<hex>.',
    }),
    category: t.exposeString('category', {
      nullable: false,
      description:
        'The category of the file as the document writes it, such as artwork. Empty when the document names none. fileCategory has it as an enum.',
    }),
    fileCategory: t.field({
      type: FileCategoryEnum,
      description: 'The category of the file. Null when the document names none, or one that is not known.',
      resolve: ({ category }) => fileCategories.find((one) => one === category),
    }),
    cid: t.field({
      type: 'CID',
      description:
        'The CID of the content as one block, derived from the hash. Large files are on IPFS in several blocks, under another CID. Null for other kinds of hashes.',
      resolve: ({ hash }) => rawCid(hash),
    }),
    url: t.field({
      type: 'URL',
      description:
        'The address where a browser can load the file by its cid, if the IPFS gateway has it. Null when cid is null.',
      resolve: ({ hash }, _args, { loaders }) => loaders.reads.documents.media(rawCid(hash) ?? '')?.url,
    }),
  }),
});

const sizeUnits = ['mm', 'cm', 'm', 'in', 'ft', 'pixel'] as const;

const SizeUnit = builder.enumType('SizeUnit', {
  description: 'The units of a size in the metadata schema.',
  values: {
    MM: { value: 'mm', description: 'The numbers are millimetres.' },
    CM: { value: 'cm', description: 'The numbers are centimetres.' },
    M: { value: 'm', description: 'The numbers are metres.' },
    IN: { value: 'in', description: 'The numbers are inches.' },
    FT: { value: 'ft', description: 'The numbers are feet.' },
    PIXEL: { value: 'pixel', description: 'The numbers are pixels.' },
  } as const,
});

export const SRRSize = builder.objectRef<JsonObject>('SRRSize').implement({
  description: 'The size of the work.',
  fields: (t) => ({
    width: t.float({
      description: 'The width, as a number of `unit`. Null when the document does not state it.',
      resolve: (size) => numberOf(size.width),
    }),
    height: t.float({
      description: 'The height, as a number of `unit`. Null when the document does not state it.',
      resolve: (size) => numberOf(size.height),
    }),
    depth: t.float({
      description: 'The depth, as a number of `unit`. Null when the document does not state it.',
      resolve: (size) => numberOf(size.depth),
    }),
    unit: t.string({
      description:
        'The unit of the numbers as the document writes it; sizeUnit has it as an enum. Null when the document does not state it.',
      resolve: (size) => textOf(size.unit),
    }),
    sizeUnit: t.field({
      type: SizeUnit,
      description: 'The unit of the numbers. Null when the document names none, or one that is not known.',
      resolve: (size) => sizeUnits.find((unit) => unit === size.unit),
    }),
    flexibleDescription: t.field({
      type: LocalizedText,
      description:
        'A description of the size in words, by language, for works that numbers do not fit. Null when the document does not state it.',
      resolve: (size) => languageMap(size.flexibleDescription),
    }),
  }),
});

export const SRREdition = builder.objectRef<JsonObject>('SRREdition').implement({
  description: 'The edition of the work: which copy of how many.',
  fields: (t) => ({
    uniqueness: t.string({
      description:
        'The uniqueness of the work as the metadata schema defines it, such as "unique work". Null when the document does not state it.',
      resolve: (edition) => textOf(edition.uniqueness),
    }),
    proofType: t.string({
      description:
        'The type of proof as the metadata schema defines it, such as "ED". Null when the document does not state it.',
      resolve: (edition) => textOf(edition.proofType),
    }),
    number: t.int({
      description: 'The number of this copy within the edition. Null when the document does not state it.',
      resolve: (edition) => integerOf(edition.number),
    }),
    totalNumber: t.int({
      description: 'The total number of copies in the edition. Null when the document does not state it.',
      resolve: (edition) => integerOf(edition.totalNumber),
    }),
    note: t.field({
      type: LocalizedText,
      description: 'A free-text note on the edition, by language. Null when the document does not state it.',
      resolve: (edition) => languageMap(edition.note),
    }),
  }),
});

export const SRRContractTerms = builder.objectRef<JsonObject>('SRRContractTerms').implement({
  description: 'The terms of the contract that comes with the record.',
  fields: (t) => ({
    royaltyRate: t.float({
      description:
        'The royalty on a resale, in percent, as the document states it. Null when the document does not state it.',
      resolve: (terms) => numberOf(terms.royaltyRate),
    }),
    file: t.field({
      type: Media,
      description: 'The file with the text of the terms. Null when its address is not http(s) or IPFS.',
      resolve: (terms) => linkOf(terms.fileURL),
    }),
  }),
});
