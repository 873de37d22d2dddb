import type { IssuanceFileRow } from '../../issuance/read.ts';
import { builder } from '../builder.ts';
import { comparable } from '../comparable.ts';
import { decodePosition, encodePosition, foreignCursor } from '../page.ts';
import { FileCategoryEnum } from './file-category.ts';
import { Upload, UploadStatusEnum } from './upload.ts';

export const IssuanceFile = builder.objectRef<IssuanceFileRow>('IssuanceFile').implement({
  description:
    'A file that an issuance waits for, as the gateway last saw it at the service. No field but upload asks the service.',
  fields: (t) => ({
    filename: t.exposeString('filename', { nullable: false, description: 'The name it was uploaded under.' }),
    category: t.field({
      type: FileCategoryEnum,
      nullable: false,
      description: 'The category it was uploaded under.',
      resolve: (file) => file.category,
    }),
    status: t.field({
      type: UploadStatusEnum,
      nullable: false,
      description:
        'How far the file was when the gateway last looked. It is CALCULATING before the first look, and keeps its last value when the issuance ends.',
      resolve: (file) => file.status,
    }),
    message: t.exposeString('message', {
      description:
        'What the service says of the file, or why it could not be asked. Null when nothing is the matter.',
    }),
    since: t.field({
      type: 'DateTime',
      nullable: false,
      description:
        'Since when the file has this status; before it changes, since the issuance was asked for.',
      resolve: (file) => file.since,
    }),
    upload: t.field({
      type: Upload,
      description:
        'The file itself. Its status, hash and signed addresses are asked of the service. Null for a file that the gateway did not sign for.',
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

export const fileCursor = ({ category, filename }: IssuanceFileRow): string =>
  encodePosition('file', category, filename);

/** The file that a cursor of this list names. @throws GatewayError when it names none. */
export function fileOfCursor(cursor: string): { category: string; filename: string } {
  const [category, filename] = decodePosition('file', cursor);
  if (typeof category !== 'string' || typeof filename !== 'string') throw foreignCursor();
  comparable(`${category}${filename}`, ['after']);
  return { category, filename };
}
