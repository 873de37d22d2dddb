import type { Address } from '@srr-gateway/common/address';
import { z } from 'zod';
import { parseTokenId } from '../../model/token-id.ts';

/** Who calls the service: the issuer's wallet address and its API key (a secret). */
export type Credentials = { issuer: Address; apiKey: string };

/** The categories of a file, as the service writes them. */
export const fileCategories = [
  'non_attachment_file',
  'artwork',
  'certificate',
  'for_authenticity',
  'installation',
] as const;

export type FileCategory = (typeof fileCategories)[number];

/** What names an issuer's file at the service. */
export interface FileKey {
  filename: string;
  category: FileCategory;
}

/** One element of `payload[]` in an issue request, as the service takes it. */
export type IssueEntry = {
  externalId: string;
  metadata: Record<string, unknown>;
  artistAddress: string;
  isPrimaryIssuer: boolean;
  lockExternalTransfer: boolean;
  to?: string;
  collectionAddress?: string;
  attachmentFiles?: { name: string; category: string; url: string }[];
};

// Unknown fields are dropped everywhere: the service may add fields at any time.

/** One element of the answer to `signedUrls`. */
export const signedFile = z.object({
  filename: z.string(),
  contentType: z.string(),
  url: z.string(),
  finalUrl: z.string(),
});

/** The answer to `signedUrls`. */
export const signedUrlsAnswer = z.object({ results: z.array(signedFile) });

const fileInfo = z.object({
  filename: z.string().optional(),
  hash: z.string().nullish(),
  cid: z.string().nullish(),
  size: z.number().nullish(),
  message: z.string().nullish(),
});

/** The answer to `fileMetadata`. The API document shows the list under two names, and once as a bare list. */
export const fileMetadataAnswer = z.union([
  z.array(fileInfo),
  z.object({ results: z.array(fileInfo) }).transform(({ results }) => results),
  z.object({ payload: z.array(fileInfo) }).transform(({ payload }) => payload),
]);

const tokenId = z.string().transform((text, ctx) => {
  const id = parseTokenId(text);
  if (id !== undefined) return id;
  ctx.addIssue({ code: 'custom', message: 'must be a whole number' });
  return z.NEVER;
});

/** The answer to an issue request. */
export const issueAnswer = z.object({
  results: z.array(
    z.object({
      status: z.string(),
      externalId: z.string(),
      srr: z.object({
        // A token id in another form would match nothing that comes later.
        tokenId,
        metadataCID: z.string(),
        metadataURL: z.string(),
        collectionContractAddress: z.string().nullish(),
      }),
    }),
  ),
});

/** The answer to a collection request. */
export const collectionAnswer = z.object({
  result: z.object({
    name: z.string(),
    symbol: z.string(),
    collectionAddress: z.string(),
    status: z.string(),
  }),
});

const entryFailures = z.object({
  results: z
    .array(z.object({ externalId: z.string().nullish(), message: z.string(), status: z.string().optional() }))
    .min(1),
});
/** Documented for status 404 only: under another status, only `index` can be relied on. */
const absentFiles = z
  .array(
    z.object({
      index: z.number().int().min(0),
      filePath: z.string().nullish(),
      message: z.string().nullish(),
    }),
  )
  .min(1);

const said = z.union([
  z.string().transform((text) => ({ kind: 'texts' as const, texts: [text] })),
  z
    .array(z.string())
    .min(1)
    .transform((texts) => ({ kind: 'texts' as const, texts })),
  entryFailures.transform(({ results }) => ({ kind: 'entries' as const, entries: results })),
  absentFiles.transform((files) => ({ kind: 'files' as const, files })),
]);

/** What an error answer says, in any of the forms that the API document shows. */
export const refusalAnswer = z.union([
  z.object({ message: said }).transform(({ message }) => message),
  absentFiles.transform((files) => ({ kind: 'files' as const, files })),
]);

export type Said = z.infer<typeof refusalAnswer>;
