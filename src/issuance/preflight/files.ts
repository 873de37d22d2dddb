import type { FileCategory } from '../../commerce/commerce.ts';
import type { Fault } from '../../lib/errors.ts';
import { filenameFaults } from '../../lib/filename.ts';
import { referencesOf } from '../file-references.ts';
import type { EntryInput } from '../input.ts';
import { fileUrls } from '../metadata-document.ts';

const publicCategories: FileCategory[] = ['non_attachment_file', 'artwork'];

/** Files that the metadata names: they become public on IPFS, so their category must be a public one. */
export function fileFaults(entry: EntryInput): Fault[] {
  return [
    ...referencesOf(entry).flatMap(({ ref, path }) => referenceFaults(ref, path)),
    ...jsonFaults(entry),
  ];
}

function referenceFaults(ref: ReturnType<typeof referencesOf>[number]['ref'], path: string[]): Fault[] {
  if (ref.kind === 'finalUrl') return urlFaults(ref.url, path);
  if (ref.kind === 'ipfs') return path[0] === 'attachments' ? [attachmentByIpfs(path)] : [];
  const faults = filenameFaults(ref.key.filename, path);
  if (path[0] === 'metadata' && !publicCategories.includes(ref.key.category))
    faults.push({
      code: 'FILE_NOT_PUBLIC',
      message: `A file of category ${ref.key.category} is private and cannot be shown by the metadata; upload it as non_attachment_file.`,
      path,
    });
  return faults;
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
  if (/^ipfs:\/\/\S+$/.test(url) || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return [];
  return [
    {
      code: 'FILE_URL_NOT_ALLOWED',
      message: `"${url}" must be the finalUrl of an upload, or an ipfs:// address.`,
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
