import { parseIpfsReference } from '../../clients/ipfs/reference.ts';
import type { Fault } from '../../model/errors.ts';
import type { FileCategory } from '../../model/file.ts';
import { filenameFaults } from '../../model/filename.ts';
import { documentUrls, referencesOf } from '../files/file-references.ts';
import type { AttachmentInput, EntryInput, FileRef } from '../input.ts';

type CategoryOf = (url: string) => FileCategory | undefined;

/** Checks the files that the metadata names. */
export function metadataFileFaults(entry: EntryInput, { categoryOf }: { categoryOf: CategoryOf }): Fault[] {
  return [
    ...typedReferences(entry).flatMap(({ ref, path }) => metadataReferenceFaults(ref, path, categoryOf)),
    ...documentUrls(entry).flatMap(({ url, path }) => addressFaults(url, path, categoryOf)),
  ];
}

const typedReferences = (entry: EntryInput) =>
  referencesOf(entry).filter(({ path }) => path[0] === 'metadata');

function metadataReferenceFaults(ref: FileRef, path: string[], categoryOf: CategoryOf): Fault[] {
  switch (ref.kind) {
    case 'unknown':
      return [noUpload(path)];
    case 'ipfs':
      return urlFaults(ref.reference, path);
    case 'finalUrl':
      return addressFaults(ref.url, path, categoryOf);
    case 'key':
      return [...filenameFaults(ref.key.filename, path), ...privacyFaults(ref.key.category, path)];
  }
}

/** Checks attachments: each must be an uploaded file, named with the category of its upload. */
export function attachmentFaults({ attachments }: EntryInput): Fault[] {
  return attachments.flatMap((attachment, i) => [
    ...attachedFileFaults(attachment.file, ['attachments', `${i}`, 'file']),
    ...categoryFaults(attachment, ['attachments', `${i}`, 'category']),
  ]);
}

function attachedFileFaults(ref: FileRef, path: string[]): Fault[] {
  switch (ref.kind) {
    case 'unknown':
      return [noUpload(path)];
    case 'ipfs':
      return [notUploaded(path)];
    case 'finalUrl':
      // The address of a private file is that of a storage object, whose scheme only the service knows.
      return ref.url.startsWith('ipfs:') ? [notUploaded(path)] : [];
    case 'key':
      return filenameFaults(ref.key.filename, path);
  }
}

const notUploaded = (path: string[]): Fault => ({
  code: 'FILE_URL_NOT_ALLOWED',
  message:
    'An attachment must be an uploaded file, because the service needs its stored hash. Upload it, and name it by upload id, filename or finalUrl.',
  path,
});

function categoryFaults({ category, file }: AttachmentInput, path: string[]): Fault[] {
  const fault = (message: string): Fault[] => [{ code: 'CATEGORY_INVALID', message, path }];
  if (category === 'non_attachment_file')
    return fault('An attachment is artwork, certificate, for_authenticity or installation.');
  if (file.kind === 'key' && file.key.category !== category)
    return fault(`The file was uploaded as ${file.key.category}; give the attachment the same category.`);
  return [];
}

const publicCategories: FileCategory[] = ['non_attachment_file', 'artwork'];

function addressFaults(url: string, path: string[], categoryOf: CategoryOf): Fault[] {
  const category = categoryOf(url);
  return category === undefined ? urlFaults(url, path) : privacyFaults(category, path);
}

/** Refuses an address that is neither HTTP nor IPFS. Only the service knows which hosts are its own. */
function urlFaults(url: string, path: string[]): Fault[] {
  if (url.startsWith('ipfs://') && parseIpfsReference(url)) return [];
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return [];
  return [
    {
      code: 'FILE_URL_NOT_ALLOWED',
      message: `"${url.slice(0, 200)}" is no address of a file. Give the finalUrl of an upload, or ipfs:// and a CID.`,
      path,
    },
  ];
}

/** Files that the metadata names become public on IPFS, so their category must be public. */
function privacyFaults(category: FileCategory, path: string[]): Fault[] {
  if (publicCategories.includes(category)) return [];
  return [
    {
      code: 'FILE_NOT_PUBLIC',
      message: `A file of category ${category} is private and cannot be shown by the metadata; upload it as non_attachment_file.`,
      path,
    },
  ];
}

/** The fault of a reference to an unknown upload. */
const noUpload = (path: string[]): Fault => ({
  code: 'INVALID_INPUT',
  message: 'This is not the id of an Upload of this issuer. Give one that createUploads or uploads returned.',
  path: [...path, 'upload'],
});
