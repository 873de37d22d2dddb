import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Characters of the texts that are kept; what was parsed of one takes some fifty bytes for each of them. */
const maxCharacters = 1_000_000;

const byText = <Value extends object>() =>
  new LRUCache<string, Value>({ maxSize: maxCharacters, sizeCalculation: (_, text) => text.length || 1 });

/** Yoga's own caches count documents, however long: strangers could fill them with the longest there are. */
export const documentCaches = () => ({
  documentCache: byText<DocumentNode>(),
  errorCache: byText<Error>(),
});
