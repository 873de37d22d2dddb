import { decodeGlobalID } from '@pothos/plugin-relay';
import type { FileCategory } from '../../commerce/commerce.ts';
import type { FileRef } from '../../issuance/input.ts';
import { GatewayError } from '../../lib/errors.ts';
import { builder } from '../builder.ts';
import { FileCategoryEnum } from './file-category.ts';

export const FileKeyInput = builder.inputType('FileKeyInput', {
  description: 'A file by its name.',
  fields: (t) => ({
    filename: t.string({ required: true, description: 'As it was uploaded.' }),
    category: t.field({
      type: FileCategoryEnum,
      required: true,
      description: 'The one it was uploaded under.',
    }),
  }),
});

export const FileRefInput = builder.inputType('FileRefInput', {
  description: 'Exactly one way of naming a file.',
  isOneOf: true,
  fields: (t) => ({
    upload: t.id({ description: 'The id of an Upload.' }),
    file: t.field({ type: FileKeyInput, description: 'Name and category of an uploaded file.' }),
    finalUrl: t.field({ type: 'URL', description: 'The permanent address of an uploaded file.' }),
    ipfs: t.string({
      description: 'ipfs://<cid>, for content that is on IPFS already. Not for attachments.',
    }),
  }),
});

export interface FileRefValue {
  upload?: string | number | null;
  file?: { filename: string; category: FileCategory } | null;
  finalUrl?: string | null;
  ipfs?: string | null;
}

/** @throws GatewayError with `path` when the reference names nothing. */
export function fileRef(value: FileRefValue, path: string[]): FileRef {
  if (value.file) return { kind: 'key', key: { ...value.file } };
  if (value.finalUrl) return { kind: 'finalUrl', url: value.finalUrl };
  if (value.ipfs) return { kind: 'ipfs', reference: value.ipfs };
  return { kind: 'key', key: uploadKey(String(value.upload), [...path, 'upload']) };
}

function uploadKey(globalId: string, path: string[]): { filename: string; category: FileCategory } {
  try {
    const { typename, id } = decodeGlobalID(globalId);
    const [, category, ...name] = id.split('/');
    if (typename === 'Upload' && name.length > 0)
      return { category: category as FileCategory, filename: name.join('/') };
  } catch {
    // Falls through to the one answer for every text that is no id.
  }
  throw new GatewayError({ code: 'INVALID_INPUT', message: 'This is not the id of an Upload.', path });
}
