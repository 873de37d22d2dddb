import type { Operation } from './http.ts';

/**
 * The form of a mutation with a file in `input.file`, by the GraphQL multipart request specification. Built by hand,
 * because a FormData is sent without progress, and would have to be copied to memory to be split.
 */
export function multipartForm(
  operation: Operation,
  filename: string,
  file: Blob,
): { contentType: string; body: Blob } {
  const boundary = `srr-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
  const part = (head: string) => `\r\n--${boundary}\r\ncontent-disposition: form-data; name=${head}\r\n\r\n`;
  const quoted = filename.replace(/["\r\n]/g, encodeURIComponent);
  const body = new Blob([
    `${part('"operations"')}${JSON.stringify(operation)}`,
    `${part('"map"')}{"0":["variables.input.file"]}`,
    part(`"0"; filename="${quoted}"\r\ncontent-type: application/octet-stream`),
    file,
    `\r\n--${boundary}--\r\n`,
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}
