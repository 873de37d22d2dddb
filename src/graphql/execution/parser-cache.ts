import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Characters of all cached texts. A parsed document takes some fifty bytes for each character. */
const maxCharacters = 1_000_000;

const byText = <Value extends object>() =>
  new LRUCache<string, Value>({ maxSize: maxCharacters, sizeCalculation: (_, text) => text.length || 1 });

/**
 * Parser caches that are limited by text length. Yoga's own count documents of any length, so strangers could
 * fill the memory with long ones.
 */
export const documentCaches = () => ({
  documentCache: byText<DocumentNode>(),
  errorCache: byText<Error>(),
});
