/**
 * A request's address, which is a path or a whole address; null when it cannot be read. Proxies in front of the gateway
 * block some paths, such as `/metrics`, so it is read as they read it: two slashes begin a path and not a host, and a
 * backslash is not a slash.
 */
export function addressOf(text: string): URL | null {
  if (/^[^?]*[\\#]/.test(text)) return null;
  return URL.parse(text.startsWith('/') ? `http://gateway${text}` : text, 'http://gateway');
}
