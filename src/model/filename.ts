import type { Fault } from './errors.ts';

/** No real file name is longer, and object stores allow 1,024 bytes for the whole path. */
const maxLength = 255;

/** The faults of a file name, by the rules of the issuance service and of object stores. */
export function filenameFaults(filename: string, path: string[]): Fault[] {
  const faults: Fault[] = [];
  if (!/[^/]\.[^./\s]+$/.test(filename))
    faults.push({
      code: 'FILENAME_EXTENSION_MISSING',
      message: `"${filename}" needs an extension, such as .png.`,
      path,
    });
  if (/\s/.test(filename))
    faults.push({
      code: 'FILENAME_HAS_SPACE',
      message: `"${filename}" has white space; use - or _ instead.`,
      path,
    });
  if (filename.length > maxLength || /[\p{Cc}\\/]/u.test(filename) || !filename.isWellFormed())
    faults.push({
      code: 'INVALID_INPUT',
      message: `A file name must be well-formed text of at most ${maxLength} characters, without /, \\ and control characters.`,
      path,
    });
  return faults;
}
