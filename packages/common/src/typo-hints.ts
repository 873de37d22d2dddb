import { distance } from 'fastest-levenshtein';

/**
 * Letters that may differ: one in six, and three at most, as an ending such as _MS has. Short names have none,
 * since PORTS and HOSTS are names of other programs.
 */
const slipsIn = (name: string) => Math.min(3, Math.floor(name.length / 6));

/** A line for each variable that is set, not read, and nearly one of those that are read and not set. */
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
