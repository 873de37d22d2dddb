import { blockOf, type Tree } from './content.ts';
import { upgraded } from './metadata-rules.ts';
import type { IssueEntry } from './request-checks.ts';
import type { World } from './world.ts';

/** The document of a record on chain, and all files that are published with it. */
export interface Publication {
  document: Record<string, unknown>;
  metadataCID: string;
  trees: Tree[];
}

/** Replaces files by `ipfs://` addresses, and adds hashes of attachments; equal input gives equal bytes. */
export async function publicationOf(world: World, entry: IssueEntry): Promise<Publication> {
  const { metadata, attachmentFiles = [], externalUrls = [] } = entry;
  const trees: Tree[] = [];
  const address = (url: unknown): unknown => {
    const text = String(url);
    const gateway = `${world.cdn()}/ipfs/`;
    if (text.startsWith(gateway)) return `ipfs://${text.slice(gateway.length)}`;
    const tree = world.files.byUrl(text)?.tree;
    if (!tree) return url;
    trees.push(tree);
    return `ipfs://${tree.cid}`;
  };
  const folded = attachmentFiles.map(({ category, url }) => {
    const file = world.files.byUrl(url);
    if (file?.tree) trees.push(file.tree);
    return { category, hash: file?.hash };
  });
  const artwork = folded.filter(({ category }) => category === 'artwork');
  const others = folded.filter(({ category }) => category !== 'artwork');
  const terms = metadata.contractTerms as Record<string, unknown> | undefined;
  const sent = {
    ...metadata,
    thumbnailURL: address(metadata.thumbnailURL),
    image: address(metadata.image),
    ...(terms && {
      contractTerms: { ...terms, ...(terms.fileURL !== undefined && { fileURL: address(terms.fileURL) }) },
    }),
    ...(externalUrls[0] !== undefined && { external_url: externalUrls[0] }),
    ...(artwork.length > 0 && { digitalComponents: artwork }),
    ...(others.length > 0 && { attachmentFiles: others }),
  };
  const document = world.variants.metadata === 'UPGRADED' ? upgraded(sent) : sent;
  const block = await blockOf(Buffer.from(JSON.stringify(document)));
  return { document, metadataCID: block.cid, trees: [...trees, block] };
}
