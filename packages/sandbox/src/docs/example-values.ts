import type { Address } from '@srr-gateway/common/address';
import type { Db } from '../store/tables.ts';

/** The CID of the text "hello world": a well-formed example where no picture is published. */
const anyImage = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';
const anyDigest = `0x${'0'.repeat(64)}`;
const anyDelivery = '00000000-0000-4000-8000-000000000000';

export type ExampleValues = Awaited<ReturnType<typeof exampleValues>>;

/** Example values from the database. In an empty sandbox they are well-formed, but name nothing. */
export async function exampleValues(db: Db, issuer: Address) {
  const picture = await db
    .selectFrom('published')
    .select('cid')
    .where('content_type', 'like', 'image/%')
    .orderBy('cid')
    .limit(1)
    .executeTakeFirst();
  const file = await db
    .selectFrom('stored_file')
    .select(['filename', 'category'])
    .where('issuer', '=', issuer)
    .where('category', 'in', ['artwork', 'non_attachment_file'])
    .where('cid', 'is not', null)
    .orderBy('uploaded_at')
    .limit(1)
    .executeTakeFirst();
  const registered = db
    .selectFrom('srr')
    .select(['token_id', 'metadata_cid'])
    .where('status', '=', 'issued')
    .where('collection', 'is', null)
    // The oldest record, because the subgraph has certainly indexed it.
    .orderBy('id')
    .limit(1);
  const record = await registered.where('metadata_cid', 'not like', '0x%').executeTakeFirst();
  const legacy = await registered.where('metadata_cid', 'like', '0x%').executeTakeFirst();
  const delivery = await db
    .selectFrom('delivery')
    .select('id')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    imageCid: picture?.cid ?? anyImage,
    file,
    tokenId: record?.token_id ?? '1',
    legacyTokenId: legacy?.token_id ?? '1',
    digest: legacy?.metadata_cid ?? anyDigest,
    deliveryId: delivery?.id ?? anyDelivery,
  };
}
