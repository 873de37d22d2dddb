/**
 * Why a file that a setting names cannot be used, with its path. Never quotes the content or the error's message: a
 * parser's message would show a part of the file, which may have secrets.
 */
export function fileFault(path: string, { code }: NodeJS.ErrnoException, otherwise: string): string {
  if (code === undefined) return `${path} ${otherwise}`;
  return `${path} ${reasons[code] ?? `cannot be read (${code})`}`;
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory; name a file in it',
  EACCES: 'cannot be read by the user that runs this program',
};
