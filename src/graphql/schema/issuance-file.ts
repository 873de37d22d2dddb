import type { IssuanceFileRow } from '../../issuance/read.ts';
import { builder } from './builder.ts';
import { databaseText } from './database-text.ts';
import { FileCategoryEnum } from './file-category.ts';
import { decodePosition, encodePosition, foreignCursor } from './page.ts';
import { Upload, UploadStatusEnum } from './upload.ts';

export const IssuanceFile = builder.objectRef<IssuanceFileRow>('IssuanceFile').implement({
  description:
    'An uploaded file that an issuance waits for, as the gateway last saw it at the issuance service. Only the upload field asks the service again.',
  fields: (t) => ({
    filename: t.exposeString('filename', {
      nullable: false,
      description: 'The filename that the file was uploaded with.',
    }),
    category: t.field({
      type: FileCategoryEnum,
      nullable: false,
      description: 'The category that the file was uploaded under.',
      resolve: (file) => file.category,
    }),
    status: t.field({
      type: UploadStatusEnum,
      nullable: false,
      description:
        'The status of the file when the gateway last looked. It is CALCULATING before the first look and keeps its last value once the issuance has ended.',
      resolve: (file) => file.status,
    }),
    message: t.exposeString('message', {
      description:
        'The issuance service’s message about the file, or why the service could not be asked. Null when there is nothing to report.',
    }),
    since: t.field({
      type: 'DateTime',
      nullable: false,
      description:
        'When the file got this status. Until the status first changes, it is the time when the issuance was created.',
      resolve: (file) => file.since,
    }),
    upload: t.field({
      type: Upload,
      description:
        'The uploaded file, with its present status, hash and signed URLs from the issuance service. Null when this gateway has never signed for the file.',
      resolve: ({ filename, category, contentType, finalUrl }) =>
        contentType === null || finalUrl === null
          ? null
          : { file: { filename, category, contentType, finalUrl } },
    }),
  }),
});

const IssuanceFileEdge = builder.edgeObject({ type: IssuanceFile, name: 'IssuanceFileEdge' });
export const IssuanceFileConnection = builder.connectionObject(
  { type: IssuanceFile, name: 'IssuanceFileConnection' },
  IssuanceFileEdge,
);

/** The cursor of a file in an issuance's list of files. */
export const fileCursor = ({ category, filename }: IssuanceFileRow): string =>
  encodePosition('file', category, filename);

/** Decodes a cursor of this list. @throws GatewayError for other text. */
export function fileOfCursor(cursor: string): { category: string; filename: string } {
  const [category, filename] = decodePosition('file', cursor);
  if (typeof category !== 'string' || typeof filename !== 'string') throw foreignCursor();
  databaseText(`${category}${filename}`, ['after']);
  return { category, filename };
}
