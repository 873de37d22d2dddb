import type { FileCategory, FileKey } from '../../commerce/commerce.ts';
import { parseIpfsReference } from '../../ipfs/reference.ts';
import type { Fault } from '../../lib/errors.ts';
import { filenameFaults } from '../../lib/filename.ts';
import { referencesOf } from '../file-references.ts';
import type { EntryInput, FileRef } from '../input.ts';
import { fileUrls } from '../metadata-document.ts';

const publicCategories: FileCategory[] = ['non_attachment_file', 'artwork'];

/** Files that the metadata names: they become public on IPFS, so their category must be a public one. */
export function fileFaults(entry: EntryInput): Fault[] {
  return [
    ...referencesOf(entry).flatMap(({ ref, path }) => referenceFaults(ref, path)),
    ...jsonFaults(entry),
  ];
}

function referenceFaults(ref: FileRef, path: string[]): Fault[] {
  const attached = path[0] === 'attachments';
  switch (ref.kind) {
    case 'unknown':
      return [
        {
          code: 'INVALID_INPUT',
          message: 'This is not the id of an Upload. Give one that createUploads or uploads returned.',
          path: [...path, 'upload'],
        },
      ];
    case 'ipfs':
      return attached ? [attachmentByIpfs(path)] : urlFaults(ref.reference, path);
    case 'finalUrl':
      return attached && ref.url.startsWith('ipfs:') ? [attachmentByIpfs(path)] : urlFaults(ref.url, path);
    case 'key':
      return [...filenameFaults(ref.key.filename, path), ...(attached ? [] : privacyFaults(ref.key, path))];
  }
}

function privacyFaults({ category }: FileKey, path: string[]): Fault[] {
  if (publicCategories.includes(category)) return [];
  return [
    {
      code: 'FILE_NOT_PUBLIC',
      message: `A file of category ${category} is private and cannot be shown by the metadata; upload it as non_attachment_file.`,
      path,
    },
  ];
}

function jsonFaults(entry: EntryInput): Fault[] {
  const document = entry.metadataJson;
  if (typeof document !== 'object' || document === null) return [];
  return fileUrls(document as Record<string, unknown>).flatMap(({ path, url }) =>
    urlFaults(url, ['metadataJson', ...path]),
  );
}

/** Which hosts are the service's own only the service knows; what can never be one is refused here. */
function urlFaults(url: string, path: string[]): Fault[] {
  if (url.startsWith('ipfs://') && parseIpfsReference(url)) return [];
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return [];
  return [
    {
      code: 'FILE_URL_NOT_ALLOWED',
      message: `"${url.slice(0, 200)}" must be the finalUrl of an upload, or ipfs:// and a CID.`,
      path,
    },
  ];
}

const attachmentByIpfs = (path: string[]): Fault => ({
  code: 'FILE_URL_NOT_ALLOWED',
  message: 'An attachment must be an uploaded file: the service reads its stored hash.',
  path,
});

/** Attachments have the four attachment categories, and are uploaded under the category they are given. */
export function attachmentFaults(entry: EntryInput): Fault[] {
  return entry.attachments.flatMap(({ category, file }, i) => {
    const path = ['attachments', `${i}`, 'category'];
    if (category === 'non_attachment_file')
      return [
        {
          code: 'CATEGORY_INVALID',
          message: 'An attachment is artwork, certificate, for_authenticity or installation.',
          path,
        } satisfies Fault,
      ];
    if (file.kind === 'key' && file.key.category !== category)
      return [
        {
          code: 'CATEGORY_INVALID',
          message: `The file was uploaded as ${file.key.category}; give the attachment the same category.`,
          path,
        } satisfies Fault,
      ];
    return [];
  });
}
