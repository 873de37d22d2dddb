import type { Fault } from '../model/errors.ts';
import type { FileCategory } from '../model/file.ts';
import { filenameFaults } from '../model/filename.ts';

/** A file that a caller wants to upload, with the announced hash and size. */
export interface UploadSpec {
  filename: string;
  category: FileCategory;
  /** `sha256-<hex>` */
  hash?: string | undefined;
  /** Bytes. */
  size?: number | undefined;
}

/** The service takes files strictly smaller than this. */
export const maxFileBytes = 2 ** 31;

/** Checks the files of an upload request. Returns all faults, with their paths into the input. */
export function specFaults(specs: UploadSpec[]): Fault[] {
  if (specs.length === 0)
    return [{ code: 'INVALID_INPUT', message: 'Name at least one file.', path: ['input', 'files'] }];
  const seen = new Set<string>();
  return specs.flatMap((spec, i) => {
    const path = ['input', 'files', `${i}`];
    const faults = [...filenameFaults(spec.filename, [...path, 'filename']), ...contentFaults(spec, path)];
    if (seen.has(spec.filename))
      faults.push({
        code: 'FILENAME_TAKEN',
        message: `"${spec.filename}" is also the name of an earlier file in this call. Give each file its own name.`,
        path: [...path, 'filename'],
      });
    seen.add(spec.filename);
    return faults;
  });
}

function contentFaults(spec: UploadSpec, path: string[]): Fault[] {
  const faults: Fault[] = [];
  if (spec.hash !== undefined && !/^sha256-[0-9a-f]{64}$/.test(spec.hash))
    faults.push({
      code: 'INVALID_INPUT',
      message: 'sha256 must be 64 hex digits, with or without "sha256-" before them.',
      path: [...path, 'sha256'],
    });
  if (spec.size !== undefined && spec.size < 0)
    faults.push({
      code: 'INVALID_INPUT',
      message: 'size must be the number of bytes, 0 or more.',
      path: [...path, 'size'],
    });
  if (spec.size !== undefined && spec.size >= maxFileBytes)
    faults.push({
      code: 'FILE_TOO_LARGE',
      message: `A file must be smaller than ${maxFileBytes} bytes (2 GB).`,
      path: [...path, 'size'],
    });
  return faults;
}
