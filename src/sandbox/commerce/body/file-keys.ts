import { type Category, categories } from '../../store/tables.ts';
import { fileMessages } from '../messages.ts';
import { isRecord, Problems } from './problems.ts';

export interface FileKey {
  filename: string;
  category: Category;
}

/** Names are part of a unique index, and an entry of one holds no more than 2,704 bytes. */
const longestFilename = 1_024;

/** Reads the body of `signedUrls`. */
export function readSigningRequest(body: unknown): { action: 'write' | 'read'; files: FileKey[] } {
  const problems = new Problems();
  const { action, payload } = isRecord(body) ? body : {};
  if (action !== 'write' && action !== 'read') problems.add(fileMessages.actionUnknown);
  const files = readFileKeys(payload, problems);
  problems.throwIfAny();
  return { action: action === 'read' ? 'read' : 'write', files };
}

/** Reads the body of `fileMetadata`. */
export function readFileMetadataRequest(body: unknown): FileKey[] {
  const problems = new Problems();
  const files = readFileKeys(isRecord(body) ? body.payload : undefined, problems);
  problems.throwIfAny();
  return files;
}

function readFileKeys(payload: unknown, problems: Problems): FileKey[] {
  return problems.list(payload, 'payload').map((item, index) => {
    const { filename, category } = problems.record(item, `payload.${index}`);
    const name = problems.text(filename, `payload.${index}.filename`);
    if (name !== '') checkFilename(name, index, problems);
    if (!isCategory(category)) problems.add(fileMessages.categoryUnknown(index));
    return { filename: name, category: isCategory(category) ? category : 'non_attachment_file' };
  });
}

function checkFilename(name: string, index: number, problems: Problems): void {
  if (!hasExtension(name)) problems.add(fileMessages.extensionMissing);
  if (/\s/.test(name)) problems.add(fileMessages.spaceNotAllowed);
  if (Buffer.byteLength(name) > longestFilename)
    problems.add(`payload.${index}.filename must be shorter than or equal to ${longestFilename} bytes`);
}

/** Something before the last dot and something after it. */
function hasExtension(name: string): boolean {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const dot = last.lastIndexOf('.');
  return dot > 0 && dot < last.length - 1;
}

function isCategory(value: unknown): value is Category {
  return (categories as readonly unknown[]).includes(value);
}
