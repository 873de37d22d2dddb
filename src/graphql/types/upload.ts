import { encodeGlobalID } from '@pothos/plugin-relay';
import {
  type FileCategory,
  type FileState,
  fileCategories,
  type SignedFile,
  statusOfFile,
} from '../../clients/commerce/commerce.ts';
import { filenameFaults } from '../../model/filename.ts';
import { proxyPath } from '../../uploads/proxy-path.ts';
import type { UploadFile } from '../../uploads/uploads.ts';
import { signedUrlMs } from '../../uploads/uploads.ts';
import { builder } from '../builder.ts';
import { type Context, issuerOf } from '../context.ts';
import { FileCategoryEnum } from './file-category.ts';

export const UploadStatusEnum = builder.enumType('UploadStatus', {
  description: 'How far a file is at the service.',
  values: {
    AWAITING_BYTES: { description: 'The service finds nothing under this name yet.' },
    CALCULATING: { description: 'Stored; its hash and cid are being calculated, mostly within minutes.' },
    READY: { description: 'Stored, with hash and cid: records can be issued with it.' },
    FAILED: {
      description:
        'The service reports a problem, such as a calculation that failed or a file that is not accessible; message has its words.',
    },
  } as const,
});

export interface UploadRef {
  file: UploadFile;
  /** The signature that was just made for it, if one was. */
  signed?: SignedFile | undefined;
}

/** An upload's id is its name: it needs no row, and it stays right for files that came by another way. */
export const uploadId = (issuer: string, file: { category: string; filename: string }): string =>
  encodeGlobalID('Upload', `${issuer}/${file.category}/${file.filename}`);

const UploadInterface = builder.objectRef<UploadRef>('Upload');

const stateOf = ({ file }: UploadRef, context: Context): Promise<FileState> => {
  issuerOf(context);
  return context.fresh.uploads!.states.load(file);
};

const signedFor = async (ref: UploadRef, context: Context): Promise<SignedFile> =>
  ref.signed ?? context.fresh.uploads!.writable.load(ref.file);

export const Upload = builder.node(UploadInterface, {
  id: {
    description: 'Of this file, for FileRefInput.upload.',
    resolve: ({ file }, _args, context) => `${issuerOf(context).issuer}/${file.category}/${file.filename}`,
  },
  authScopes: { read: true, upload: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'file' in value,
  description: 'A file of the issuer at the service, from before its bytes are there.',
  loadOne: async (id, context) => {
    const { issuer } = issuerOf(context);
    const [owner, category, ...name] = id.split('/');
    const known = fileCategories.find((one) => one === category);
    const filename = name.join('/');
    // An id that no upload can have names nothing; the service would refuse the whole batch for it.
    if (owner !== issuer || !known || filenameFaults(filename, []).length > 0) return null;
    return loadUpload({ category: known, filename }, context);
  },
  fields: (t) => ({
    filename: t.string({
      nullable: false,
      description: 'Unique per issuer; a used name cannot take other content.',
      resolve: ({ file }) => file.filename,
    }),
    category: t.field({
      type: FileCategoryEnum,
      nullable: false,
      description: 'Chosen at the upload; part of the file’s name.',
      resolve: ({ file }) => file.category,
    }),
    contentType: t.string({
      nullable: false,
      description: 'Send exactly this as Content-Type.',
      resolve: ({ file }) => file.contentType,
    }),
    status: t.field({
      type: UploadStatusEnum,
      nullable: false,
      description: 'Asked of the service, one call for all files of the query.',
      resolve: async (ref, _args, context) => statusOfFile(await stateOf(ref, context)),
    }),
    signedUrl: t.field({
      type: 'URL',
      description: 'PUT the bytes here, straight to storage. It is a secret; signed anew with each query.',
      resolve: async (ref, _args, context) => (await signedFor(ref, context)).url,
    }),
    signedUrlExpiresAt: t.field({
      type: 'DateTime',
      description: 'When signedUrl ends: 15 minutes after it was signed.',
      resolve: async (ref, _args, context) => {
        await signedFor(ref, context);
        return new Date(context.startedAt.getTime() + signedUrlMs);
      },
    }),
    proxyUrl: t.field({
      type: 'URL',
      nullable: false,
      description:
        'Or PUT the bytes here, with the same credentials as this query: streamed through to storage, never held.',
      resolve: ({ file }, _args, { publicUrl }) => `${publicUrl}${proxyPath(file)}`,
    }),
    finalUrl: t.field({
      type: 'URL',
      nullable: false,
      description: 'The file’s permanent address, as metadata documents name it.',
      resolve: ({ file }) => file.finalUrl,
    }),
    downloadUrl: t.field({
      type: 'URL',
      description:
        'Signed for reading, 15 minutes; opens private files too. GET it with contentType as Content-Type: the signature covers it. It is a secret.',
      resolve: async ({ file }, _args, context) => (await context.fresh.uploads!.readable.load(file)).url,
    }),
    size: t.field({
      type: 'BigInt',
      description: 'Bytes, once stored.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).size,
    }),
    hash: t.string({
      description: 'sha256-<hex> of the content, once calculated.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).hash,
    }),
    cid: t.field({
      type: 'CID',
      description: 'IPFS identifier of the content, once calculated; equal content has the same.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).cid,
    }),
    message: t.string({
      description: 'The service’s own words when something is not (yet) right.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).message,
    }),
  }),
});

export async function loadUpload(
  key: { category: FileCategory; filename: string },
  context: Context,
): Promise<UploadRef> {
  const signed = await context.fresh.uploads!.readable.load(key);
  return { file: { ...key, contentType: signed.contentType, finalUrl: signed.finalUrl } };
}
