import type { Db } from '../store/tables.ts';
import type { ReadExamples } from './operations/reads.ts';

/** A picture whose bytes nobody needs: "hello world". */
const anyImage = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';
const anyDigest = `0x${'0'.repeat(64)}`;

/** Examples out of what the sandbox holds; in a bare one they are well-formed, and lead to nothing. */
export async function storedExamples(
  db: Db,
): Promise<Pick<ReadExamples, 'tokenId' | 'legacyTokenId' | 'digest'> & { image: string }> {
  const picture = await db
    .selectFrom('published')
    .select('cid')
    .where('content_type', 'like', 'image/%')
    .orderBy('cid')
    .limit(1)
    .executeTakeFirst();
  const registered = db
    .selectFrom('srr')
    .select(['token_id', 'metadata_cid'])
    .where('status', '=', 'issued')
    .where('collection', 'is', null);
  const record = await registered
    .where('metadata_cid', 'not like', '0x%')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const legacy = await registered
    .where('metadata_cid', 'like', '0x%')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return {
    image: `ipfs://${picture?.cid ?? anyImage}`,
    tokenId: record?.token_id ?? '1',
    legacyTokenId: legacy?.token_id ?? '1',
    digest: legacy?.metadata_cid ?? anyDigest,
  };
}
