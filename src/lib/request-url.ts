/** A path with a backslash, a fragment, or a segment `.` or `..`, also encoded. */
const ambiguous = /^[^?]*(?:[\\#]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/**
 * Parses a request's address, which is a path or a whole address; null when it is malformed. Proxies in front of the
 * gateway block some paths, such as `/metrics`, so paths must mean the same here as there: two slashes begin a path,
 * not a host, and paths that a proxy may read in another way are refused.
 */
export function parseRequestUrl(text: string): URL | null {
  if (ambiguous.test(text)) return null;
  return URL.parse(text.startsWith('/') ? `http://gateway${text}` : text, 'http://gateway');
}
