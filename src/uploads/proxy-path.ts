import type { FileKey } from '../model/file.ts';

/** Where the gateway takes the bytes of a file: `/uploads/<category>/<filename>`. */
export const proxyPath = ({ category, filename }: FileKey): string =>
  `/uploads/${category}/${encodeURIComponent(filename)}`;

/** The file that a path names; undefined when it names none. */
export function fileOfPath(pathname: string): { category: string; filename: string } | undefined {
  const [, category, name] = /^\/uploads\/([a-z_]+)\/([^/]+)$/.exec(pathname) ?? [];
  if (category === undefined || name === undefined) return undefined;
  try {
    return { category, filename: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}
