import { hash } from 'node:crypto';

/**
 * What is kept of a secret to know it again. A plain hash is enough for keys that are long and random, and
 * looking one up leaks nothing by its timing.
 */
export const digest = (...parts: string[]) => hash('sha256', parts.join('\0'), 'base64');
