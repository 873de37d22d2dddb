import { Readable } from 'node:stream';
import { requireIssuer } from '../../access/caller.ts';
import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { assertNoFaults, type Fault, GatewayError, translateFaults } from '../../model/errors.ts';
import { type FileCategory, fileCategories } from '../../model/file.ts';
import { filenameFaults } from '../../model/filename.ts';
import type { UploadPosition } from '../../uploads/upload-rows.ts';
import { builder } from './builder.ts';
import { FileCategoryEnum } from './file-category.ts';
import { FileKeyInput } from './file-ref.ts';
import {
  decodePosition,
  encodePosition,
  foreignCursor,
  forwardConnection,
  forwardOnly,
  forwardSize,
  timeOfCursor,
} from './page.ts';
import { loadUpload, Upload, type UploadRef } from './upload.ts';
import { userErrorsField } from './user-error.ts';
import { orUserErrors } from './user-errors.ts';

const UploadSpecInput = builder.inputType('UploadSpecInput', {
  description: 'A file to be uploaded.',
  fields: (t) => ({
    filename: t.string({
      required: true,
      description:
        'The filename, of at most 255 characters, with an extension and without spaces or slashes. A name that has other content already, or was announced with other content in the last 15 minutes, is refused with FILENAME_TAKEN.',
    }),
    category: t.field({ type: FileCategoryEnum, required: true, description: 'The category of the file.' }),
    sha256: t.string({
      description:
        'The SHA-256 of the content, as 64 hex digits. The stored content is checked against it, and the issuer’s file of the same category that already has this content is reused.',
    }),
    size: t.field({
      type: 'BigInt',
      description: 'The size of the content in bytes. It must be smaller than 2^31.',
    }),
  }),
});

const CreateUploadsInput = builder.inputType('CreateUploadsInput', {
  description: 'The input of createUploads.',
  fields: (t) => ({
    files: t.field({
      type: [UploadSpecInput],
      required: true,
      description: 'The files to upload, one item for each.',
    }),
  }),
});

interface CreateUploadsResult {
  uploads: UploadRef[];
  userErrors: readonly Fault[];
}

const CreateUploadsPayload = builder.objectRef<CreateUploadsResult>('CreateUploadsPayload').implement({
  description: 'The result of createUploads.',
  fields: (t) => ({
    uploads: t.field({
      type: [Upload],
      nullable: { list: false, items: false },
      description: 'The uploads in the order of the input. Empty when there are userErrors.',
      resolve: ({ uploads }) => uploads,
    }),
    userErrors: t.field(userErrorsField('All faults at once. If there is one, nothing was signed.')),
  }),
});

builder.mutationField('createUploads', (t) =>
  t.field({
    type: CreateUploadsPayload,
    nullable: false,
    authScopes: { upload: true },
    description:
      'Asks the issuance service for upload URLs, in one call for all files. PUT the bytes of each file to its signedUrl or proxyUrl afterwards. Scope: upload.',
    args: { input: t.arg({ type: CreateUploadsInput, required: true, description: 'The files to upload.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors(
        async () => {
          const specs = input.files.map((file) => ({
            filename: file.filename,
            category: file.category as FileCategory,
            hash:
              file.sha256 == null ? undefined : `sha256-${file.sha256.replace(/^sha256-/, '').toLowerCase()}`,
            size: file.size == null ? undefined : Number(file.size),
          }));
          return {
            uploads: await context.services.uploads.create(
              requireIssuer(context).credentials,
              specs,
              context.signal,
            ),
          };
        },
        { uploads: [] },
      ),
  }),
);

const UploadFileInput = builder.inputType('UploadFileInput', {
  description: 'The input of uploadFile.',
  fields: (t) => ({
    file: t.field({
      type: 'File',
      required: true,
      description: 'The file, as a part of the multipart request.',
    }),
    filename: t.string({
      description:
        'The filename to store it under. When it is absent, the filename of the multipart part is used.',
    }),
    category: t.field({ type: FileCategoryEnum, required: true, description: 'The category of the file.' }),
  }),
});

interface UploadFileResult {
  upload: UploadRef | null;
  userErrors: readonly Fault[];
}

const UploadFilePayload = builder.objectRef<UploadFileResult>('UploadFilePayload').implement({
  description: 'The result of uploadFile.',
  fields: (t) => ({
    upload: t.field({
      type: Upload,
      description: 'The stored file. Null when there are userErrors.',
      resolve: ({ upload }) => upload,
    }),
    userErrors: t.field(userErrorsField('Why nothing was stored. Empty on success.')),
  }),
});

builder.mutationField('uploadFile', (t) =>
  t.field({
    type: UploadFilePayload,
    nullable: false,
    authScopes: { upload: true },
    description:
      'Stores one small file from a GraphQL multipart request at the issuance service. Use createUploads for larger files. Scope: upload.',
    args: { input: t.arg({ type: UploadFileInput, required: true, description: 'The file to store.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ upload: UploadRef | null }, { upload: null }>(
        async () => {
          const { credentials } = requireIssuer(context);
          const key = {
            filename: input.filename ?? input.file.name,
            category: input.category as FileCategory,
          };
          const [created] = await context.services.uploads
            .create(credentials, [{ ...key, size: input.file.size }], context.signal)
            .catch((error: unknown) => {
              throw aboutOneFile(error, input.filename == null ? 'file' : 'filename');
            });
          if (!created)
            throw new GatewayError({
              code: 'SERVICE_ERROR',
              message: 'The service returned no signed URL. Try again.',
            });
          await context.services.uploads.receive(
            credentials,
            key,
            {
              body: Readable.from(input.file.stream() as AsyncIterable<Uint8Array>),
              contentType: undefined,
              size: input.file.size,
              signed: created.signed,
            },
            context.signal,
          );
          return { upload: { file: created.file } };
        },
        { upload: null },
      ),
  }),
);

builder.queryField('uploads', (t) =>
  t.field({
    type: [Upload],
    nullable: { list: true, items: false },
    authScopes: { read: true },
    description:
      'Fetches files of the issuer by filename and category, including files not uploaded through this gateway. All files share the calls to the issuance service. Null with an error when the caller may not read them. Scope: read.',
    args: {
      files: t.arg({
        type: [FileKeyInput],
        required: true,
        description: 'The filenames and categories of the files.',
      }),
    },
    resolve: (_root, { files }, context) => {
      const faults = files.flatMap((file, i) => filenameFaults(file.filename, ['files', `${i}`, 'filename']));
      assertNoFaults(faults);
      return Promise.all(
        files.map((file) =>
          loadUpload({ filename: file.filename, category: file.category as FileCategory }, context),
        ),
      );
    },
  }),
);

const UploadConnection = builder.connectionObject(
  { type: Upload, name: 'UploadConnection' },
  builder.edgeObject({ type: Upload, name: 'UploadEdge' }),
);

/** Decodes a cursor of this list. @throws GatewayError for other text. */
function positionOf(cursor: string): UploadPosition {
  const [time, category, filename] = decodePosition('upload', cursor);
  const createdAt = timeOfCursor(time);
  const known = fileCategories.find((one) => one === category);
  if (createdAt && known && typeof filename === 'string' && !jsonbFault(filename))
    return { createdAt, category: known, filename };
  throw foreignCursor();
}

builder.queryField('myUploads', (t) =>
  t.connection(
    {
      type: Upload,
      nullable: false,
      authScopes: { read: true },
      description: `The issuer’s files that this gateway has signed for, newest first, from its database: those that were announced to it, and those that it was asked for by name, stored or not. Their status comes from the issuance service. ${forwardOnly} Scope: read.`,
      resolve: async (_root, list, context) => {
        const { after } = list;
        const page = { first: forwardSize(list), after: after == null ? undefined : positionOf(after) };
        const found = await context.services.uploads.rows.list(requireIssuer(context).issuer, page);
        return forwardConnection(
          found,
          after,
          ({ createdAt, category, filename }) =>
            encodePosition('upload', createdAt.toISOString(), category, filename),
          (file): UploadRef => ({ file }),
        );
      },
    },
    UploadConnection,
  ),
);

/** Translates paths of faults from a list of files to the single file of this mutation. */
const aboutOneFile = (error: unknown, nameField: 'file' | 'filename'): unknown =>
  translateFaults(error, (fault) => {
    const [, list, , field] = fault.path ?? [];
    const place = { filename: nameField, size: 'file' }[field ?? ''] ?? field;
    return list === 'files' && place ? { ...fault, path: ['input', place] } : fault;
  });
