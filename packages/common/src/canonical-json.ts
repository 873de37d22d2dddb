import { hash } from 'node:crypto';

/** JSON with sorted keys and no spaces: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** SHA-256 of the canonical JSON, in hex. Equal for equal values. */
export function fingerprint(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
