import { decodeGlobalID } from '@pothos/plugin-relay';
import type { Address } from '@srr-gateway/common/address';
import type { FileRef } from '../../issuance/input.ts';
import { type FileCategory, type FileKey, fileCategories } from '../../model/file.ts';
import { builder } from './builder.ts';
import { FileCategoryEnum } from './file-category.ts';

export const FileKeyInput = builder.inputType('FileKeyInput', {
  description: 'An uploaded file, named by filename and category.',
  fields: (t) => ({
    filename: t.string({ required: true, description: 'The filename that the file was uploaded with.' }),
    category: t.field({
      type: FileCategoryEnum,
      required: true,
      description: 'The category that the file was uploaded under.',
    }),
  }),
});

export const FileRefInput = builder.inputType('FileRefInput', {
  description: 'A reference to a file, given in exactly one of these ways.',
  isOneOf: true,
  fields: (t) => ({
    upload: t.id({ description: 'The global id of an Upload.' }),
    file: t.field({ type: FileKeyInput, description: 'The filename and category of an uploaded file.' }),
    finalUrl: t.field({
      type: 'URL',
      description: 'The permanent address of an uploaded file (Upload.finalUrl).',
    }),
    ipfs: t.string({
      description:
        'An address of the form ipfs://<cid>, for content that is on IPFS already. Not allowed for attachments.',
    }),
  }),
});

/** The value of a FileRefInput, which has exactly one field. */
export interface FileRefValue {
  upload?: string | number | null;
  file?: { filename: string; category: FileCategory } | null;
  finalUrl?: string | null;
  ipfs?: string | null;
}

/** Resolves a reference to a file. An id that is not one of the issuer's uploads becomes `unknown`. */
export function fileRef(issuer: Address, { upload, file, finalUrl, ipfs }: FileRefValue): FileRef {
  if (file) return { kind: 'key', key: { ...file } };
  if (typeof finalUrl === 'string') return { kind: 'finalUrl', url: finalUrl };
  if (typeof ipfs === 'string') return { kind: 'ipfs', reference: ipfs };
  const id = String(upload);
  const key = uploadKey(issuer, id);
  return key ? { kind: 'key', key } : { kind: 'unknown', id };
}

/**
 * The file of an upload id; undefined unless it is this issuer's. Another issuer may have a file of the same name.
 */
function uploadKey(issuer: Address, globalId: string): FileKey | undefined {
  try {
    const { typename, id } = decodeGlobalID(globalId);
    const [owner, named, ...name] = id.split('/');
    const category = fileCategories.find((known) => known === named);
    if (typename === 'Upload' && owner === issuer && category && name.length > 0)
      return { category, filename: name.join('/') };
  } catch {
    // Text that is not an id is treated like an id of another type.
  }
  return undefined;
}
