import { readFileSync } from 'node:fs';

const guide = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');

/** The object that a snippet of the guide assigns to this name. */
function snippet(name: string): () => object {
  const [, text] = new RegExp(`const ${name} = (\\{.*?\\n\\});`, 's').exec(guide) ?? [];
  if (!text) throw new Error(`docs/clients.md has no ${name}`);
  return new Function(`return ${text}`) as () => object;
}

/** The settings of client caches from the guide. */
export const clientSnippets = {
  graphcache: snippet('graphcache'),
  typePolicies: snippet('typePolicies'),
};
