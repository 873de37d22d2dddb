import type { Address } from '@srr-gateway/common/address';
import type { SrrRecord } from '../clients/subgraph/subgraph.ts';
import type { MintedSince } from '../model/record.ts';
import type { CatalogRequest } from './catalog-request.ts';
import { keyOfRow } from './indexed-record.ts';
import type { Order } from './keyset-page.ts';

const pageSize = 500;
/** If an issuer has minted more pages than this since a lost response, the outcomes must come by webhook. */
const maxPages = 10;
const newestFirst: Order<SrrRecord> = {
  field: 'createdAt',
  direction: 'desc',
  valueOf: (row) => row.createdAt,
};

/** Reads an issuer's newest records since a time, with their documents. @throws GatewayError. */
export async function mintedSince(
  request: Pick<CatalogRequest, 'srrs' | 'documents' | 'block'>,
  issuer: Address,
  since: Date,
): Promise<MintedSince> {
  const rows: SrrRecord[] = [];
  let after: string | undefined;
  let complete = false;
  for (let page = 0; page < maxPages && !complete; page++) {
    const { edges, pageInfo } = await request.srrs({ first: pageSize, after }, newestFirst, {
      issuer,
      createdAfter: since,
    });
    rows.push(...edges.map(({ node }) => node));
    complete = !pageInfo.hasNextPage;
    after = pageInfo.endCursor;
  }
  const minted = await Promise.all(
    rows.map(async (row) => ({
      ...keyOfRow(row),
      artist: row.artistAddress,
      metadataCID: row.metadataDigest,
      document: row.metadataDigest ? (await request.documents.read(row.metadataDigest)).document : undefined,
    })),
  );
  const seconds = request.block?.timestamp;
  const indexedUntil = seconds === undefined ? undefined : new Date(seconds * 1000);
  return { minted, complete, indexedUntil };
}
