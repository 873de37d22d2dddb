import { distance } from 'fastest-levenshtein';

/**
 * Letters that may differ: one in six, and at most three, the length of an ending such as _MS. Short names
 * must not differ at all, because other programs use names such as PORTS and HOSTS.
 */
const slipsIn = (name: string) => Math.min(3, Math.floor(name.length / 6));

/** A line for each variable that is set but not read, and nearly equals one that is read but not set. */
export function typoHints(env: Record<string, string | undefined>, read: readonly string[]): string[] {
  const missing = read.filter((name) => !env[name]);
  return Object.keys(env).flatMap((name) => {
    if (!env[name] || read.includes(name)) return [];
    const [nearest] = missing
      .map((meant) => ({ meant, slips: distance(name, meant) }))
      .filter(({ meant, slips }) => slips <= slipsIn(meant))
      .sort((a, b) => a.slips - b.slips);
    return nearest ? [`${name} is not read. Did you mean ${nearest.meant}?`] : [];
  });
}
