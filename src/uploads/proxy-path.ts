import { HttpError } from '../lib/http-error.ts';
import { GatewayError } from '../model/errors.ts';
import { type FileKey, fileCategories } from '../model/file.ts';
import { filenameFaults } from '../model/filename.ts';

/** The gateway's path for the bytes of a file: `/uploads/<category>/<filename>`. */
export const proxyPath = ({ category, filename }: FileKey): string =>
  `/uploads/${category}/${encodeURIComponent(filename)}`;

/**
 * Parses the path of a file. @throws HttpError 404 for other paths; GatewayError for an unknown category or
 * name.
 */
export function fileOfPath(pathname: string): FileKey {
  const [, categoryName, name] = /^\/uploads\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  const filename = name === undefined ? undefined : decode(name);
  if (filename === undefined)
    throw new HttpError(404, 'The path must be /uploads/<category>/<filename>; see Upload.proxyUrl.');
  const category = fileCategories.find((one) => one === categoryName);
  if (!category)
    throw new GatewayError({
      code: 'CATEGORY_INVALID',
      message: `The category must be one of ${fileCategories.join(', ')}.`,
      path: ['category'],
    });
  const [fault] = filenameFaults(filename, ['filename']);
  if (fault) throw new GatewayError(fault);
  return { category, filename };
}

function decode(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
