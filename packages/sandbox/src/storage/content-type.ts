import mime from 'mime';

/** The Content-Type that the service chooses for a file, by its extension. */
export function contentTypeOf(filename: string): string {
  return mime.getType(filename) ?? 'application/octet-stream';
}
