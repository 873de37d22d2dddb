/**
 * A request's address, which is a path or a whole address; null when it cannot be read. It is read as the proxies in
 * front of the gateway read it, because they keep strangers from some paths: two slashes begin a path and no host, and
 * a backslash is no slash.
 */
export function addressOf(text: string): URL | null {
  if (/^[^?]*[\\#]/.test(text)) return null;
  return URL.parse(text.startsWith('/') ? `http://gateway${text}` : text, 'http://gateway');
}
