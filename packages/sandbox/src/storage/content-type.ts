import mime from 'mime';

/** The Content-Type that the service gives a file, by its extension. */
export function contentTypeOf(filename: string): string {
  return mime.getType(filename) ?? 'application/octet-stream';
}
