/** A path with a backslash, a fragment, or a segment `.` or `..`, also encoded. */
const misread = /^[^?]*(?:[\\#]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/**
 * A request's address, which is a path or a whole address; null when it cannot be read. Proxies in front of the gateway
 * block some paths, such as `/metrics`, so it is read as they read it: two slashes begin a path and not a host. A path
 * that they may read in another way is refused: one with a backslash, or with a segment that leads out of another.
 */
export function addressOf(text: string): URL | null {
  if (misread.test(text)) return null;
  return URL.parse(text.startsWith('/') ? `http://gateway${text}` : text, 'http://gateway');
}
