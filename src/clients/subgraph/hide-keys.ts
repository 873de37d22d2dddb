/** Keys are at least this long. Most words of an address, such as `deployments`, are shorter and stay readable. */
const shortestKey = 12;

/**
 * Makes a function that removes keys from what a server says: its bearer token, and whatever in its address may be a
 * key. Many hosts of subgraphs have the key in the path, and error pages quote the path.
 */
export function keyHider(url: URL, bearer = ''): (text: string) => string {
  const { username, password, pathname, search } = url;
  const parts = [username, password, pathname, search].flatMap((part) => part.split(/[^\w.~-]+/));
  const keys = [bearer, ...parts].filter(({ length }) => length >= shortestKey);
  // The longest first: a key may contain another.
  keys.sort((a, b) => b.length - a.length);
  return (text) => keys.reduce((shown, key) => shown.replaceAll(key, '[secret]'), text);
}
