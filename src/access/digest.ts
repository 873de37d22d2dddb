import { createHash } from 'node:crypto';

/**
 * What is kept of a secret to know it again. A plain hash is enough for keys that are long and random, and
 * looking one up leaks nothing by its timing.
 */
export const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('base64');
