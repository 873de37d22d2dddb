/** A path with a backslash, a fragment, or a segment `.` or `..`, also encoded. */
const misread = /^[^?]*(?:[\\#]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/**
 * A request's address, which is a path or a whole URL; null when it cannot be parsed. Parsed as by proxies, which
 * block some paths such as `/metrics`: two slashes begin a path, not a host. Refuses paths that proxies may parse
 * differently, with a backslash or a dot segment.
 */
export function addressOf(text: string): URL | null {
  if (misread.test(text)) return null;
  return URL.parse(text.startsWith('/') ? `http://gateway${text}` : text, 'http://gateway');
}
