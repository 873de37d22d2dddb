import type { FileCategory } from '../../clients/commerce/commerce.ts';
import { parseIpfsReference } from '../../clients/ipfs/reference.ts';
import type { Fault } from '../../model/errors.ts';

const publicCategories: FileCategory[] = ['non_attachment_file', 'artwork'];

/** Refuses an address that can never be the service's. Which hosts are its own only the service knows. */
export function urlFaults(url: string, path: string[]): Fault[] {
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

/** Files that the metadata names become public on IPFS, so their category must be a public one. */
export function privacyFaults(category: FileCategory | undefined, path: string[]): Fault[] {
  if (category === undefined || publicCategories.includes(category)) return [];
  return [
    {
      code: 'FILE_NOT_PUBLIC',
      message: `A file of category ${category} is private and cannot be shown by the metadata; upload it as non_attachment_file.`,
      path,
    },
  ];
}

/** The fault of a reference to an unknown upload. */
export const noUpload = (path: string[]): Fault => ({
  code: 'INVALID_INPUT',
  message: 'This is not the id of an Upload of this issuer. Give one that createUploads or uploads returned.',
  path: [...path, 'upload'],
});
