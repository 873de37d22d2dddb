import { readFileSync } from 'node:fs';

const guide = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');

/** The value of the object that a snippet of the guide assigns to this name. */
function snippet(name: string): () => object {
  const [, text] = new RegExp(`const ${name} = (\\{.*?\\n\\});`, 's').exec(guide) ?? [];
  if (!text) throw new Error(`docs/clients.md has no ${name}`);
  return new Function(`return ${text}`) as () => object;
}

/** Settings of client caches, as the guide has them to copy. */
export const clientSnippets = { graphcache: snippet('graphcache'), typePolicies: snippet('typePolicies') };
