import type { Fault } from '../../model/errors.ts';
import { filenameFaults } from '../../model/filename.ts';
import type { AttachmentInput, EntryInput, FileRef } from '../input.ts';
import { noUpload, urlFaults } from './file-rules.ts';

/** Checks attachments: each must be an uploaded file, named with the category of its upload. */
export function attachmentFaults({ attachments }: EntryInput): Fault[] {
  return attachments.flatMap((attachment, i) => [
    ...referenceFaults(attachment.file, ['attachments', `${i}`, 'file']),
    ...categoryFaults(attachment, ['attachments', `${i}`, 'category']),
  ]);
}

function referenceFaults(ref: FileRef, path: string[]): Fault[] {
  switch (ref.kind) {
    case 'unknown':
      return [noUpload(path)];
    case 'ipfs':
      return [notUploaded(path)];
    case 'finalUrl':
      return ref.url.startsWith('ipfs:') ? [notUploaded(path)] : urlFaults(ref.url, path);
    case 'key':
      return filenameFaults(ref.key.filename, path);
  }
}

const notUploaded = (path: string[]): Fault => ({
  code: 'FILE_URL_NOT_ALLOWED',
  message: 'An attachment must be an uploaded file: the service reads its stored hash.',
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
