import { requireIssuer } from '../../access/caller.ts';
import { type FileState, type SignedFile, statusOfFile } from '../../clients/commerce/commerce.ts';
import { markSecret } from '../../lib/send.ts';
import { type FileCategory, fileCategories, signedUrlMs, type UploadFile } from '../../model/file.ts';
import { filenameFaults } from '../../model/filename.ts';
import { proxyPath } from '../../uploads/proxy-path.ts';
import type { Context, ServerContext } from '../execution/context.ts';
import { builder } from './builder.ts';
import { FileCategoryEnum } from './file-category.ts';

export const UploadStatusEnum = builder.enumType('UploadStatus', {
  description: 'The status of an uploaded file at the issuance service.',
  values: {
    AWAITING_BYTES: { description: 'The issuance service has no content under this filename yet.' },
    CALCULATING: {
      description: 'The file is stored. Its hash and CID are being calculated, usually within minutes.',
    },
    READY: { description: 'The file is stored and has its hash and CID. Records can be issued with it.' },
    FAILED: {
      description:
        'The issuance service reports a problem, such as a failed calculation or an inaccessible file. message has its text.',
    },
  } as const,
});

/** Source object of the type Upload. */
export interface UploadRef {
  file: UploadFile;
  /** The signed URL for writing, if one was just made. */
  signed?: SignedFile | undefined;
}

const stateOf = ({ file }: UploadRef, { loaders }: Context): Promise<FileState> =>
  loaders.uploads.states.load(file);

const signedFor = async (ref: UploadRef, context: Context): Promise<SignedFile> =>
  ref.signed ?? context.loaders.uploads.writable.load(ref.file);

/** Marks the answer as secret: anyone who has a signed URL can read or write the file. */
function secretUrl({ url }: Pick<SignedFile, 'url'>, { source }: Context & Partial<ServerContext>): string {
  if (source) markSecret(source.req);
  return url;
}

export const Upload = builder.node(builder.objectRef<UploadRef>('Upload'), {
  id: {
    description: 'The global id of this file, for use in FileRefInput.upload.',
    resolve: ({ file }, _args, context) =>
      `${requireIssuer(context).issuer}/${file.category}/${file.filename}`,
  },
  authScopes: { read: true, upload: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'file' in value,
  description:
    'A file of the issuer at the issuance service. It exists as soon as it is signed for, before its bytes are stored.',
  loadOne: async (id, context) => {
    const { issuer } = requireIssuer(context);
    const [owner, category, ...name] = id.split('/');
    const known = fileCategories.find((one) => one === category);
    const filename = name.join('/');
    // This is not the id of an upload. The service would refuse the whole batch because of it.
    if (owner !== issuer || !known || filenameFaults(filename, []).length > 0) return null;
    return loadUpload({ category: known, filename }, context);
  },
  fields: (t) => ({
    filename: t.string({
      nullable: false,
      description: 'The filename, unique per issuer. A used name cannot take other content.',
      resolve: ({ file }) => file.filename,
    }),
    category: t.field({
      type: FileCategoryEnum,
      nullable: false,
      description:
        'The category of the file, chosen at the upload. Filename and category together identify it.',
      resolve: ({ file }) => file.category,
    }),
    contentType: t.string({
      nullable: false,
      description: 'The media type of the file. Send exactly this as Content-Type when you PUT the file.',
      resolve: ({ file }) => file.contentType,
    }),
    status: t.field({
      type: UploadStatusEnum,
      nullable: false,
      description:
        'The present status of the file, from the issuance service in one call for all files of the query.',
      resolve: async (ref, _args, context) => statusOfFile(await stateOf(ref, context)),
    }),
    signedUrl: t.field({
      type: 'URL',
      description:
        'A signed URL of the storage to PUT the bytes to. It is a secret, and each query makes a new one. Null with an error when the issuance service does not sign for the file.',
      resolve: async (ref, _args, context) => secretUrl(await signedFor(ref, context), context),
    }),
    signedUrlExpiresAt: t.field({
      type: 'DateTime',
      description: 'When signedUrl expires: 15 minutes after it was signed. Null when signedUrl is null.',
      resolve: async (ref, _args, context) => {
        await signedFor(ref, context);
        return new Date(context.startedAt.getTime() + signedUrlMs);
      },
    }),
    proxyUrl: t.field({
      type: 'URL',
      nullable: false,
      description:
        'A URL of the gateway to PUT the bytes to in place of signedUrl, and to GET them from, private ones too. Send the same credentials as with this query. The gateway streams the bytes and does not store them.',
      resolve: ({ file }, _args, { services }) => `${services.publicUrl()}${proxyPath(file)}`,
    }),
    finalUrl: t.field({
      type: 'URL',
      nullable: false,
      description: 'The permanent address of the file, for metadata documents.',
      resolve: ({ file }) => file.finalUrl,
    }),
    downloadUrl: t.field({
      type: 'URL',
      description:
        'A URL of the gateway to download the file, private ones too, without credentials, so that a browser can open it. It is a secret, valid for 15 minutes, and each query makes a new one. Null with an error when the issuance service does not sign for the file.',
      resolve: async ({ file }, _args, context) => {
        const signed = await context.loaders.uploads.readable.load(file);
        const { publicUrl, uploads } = context.services;
        const { issuer } = requireIssuer(context);
        return secretUrl({ url: `${publicUrl()}${uploads.downloads.linkTo(issuer, file, signed)}` }, context);
      },
    }),
    size: t.field({
      type: 'BigInt',
      description:
        'The size of the file in bytes. Null until the issuance service reports it, usually with the hash.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).size,
    }),
    hash: t.string({
      description: 'The hash of the content, as sha256-<hex>. Null until it is calculated.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).hash,
    }),
    cid: t.field({
      type: 'CID',
      description:
        'The IPFS CID of the content; equal content has the same CID. Null until it is calculated.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).cid,
    }),
    message: t.string({
      description:
        'The issuance service’s message when the file has a problem or is not ready yet. Null otherwise.',
      resolve: async (ref, _args, context) => (await stateOf(ref, context)).message,
    }),
  }),
});

/** Loads a file of the caller by its name. The issuance service gives its content type and final URL. */
export async function loadUpload(
  key: { category: FileCategory; filename: string },
  context: Context,
): Promise<UploadRef> {
  const signed = await context.loaders.uploads.readable.load(key);
  return { file: { ...key, contentType: signed.contentType, finalUrl: signed.finalUrl } };
}
