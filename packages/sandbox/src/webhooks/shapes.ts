import type { DeliveryType } from '../store/tables.ts';

/**
 * Shapes of a delivery's body. The document does not define the payload, so each is one that a receiver may
 * get, or one that it must survive.
 */
export const deliveryShapes = [
  'slim',
  'srr',
  'externalId-only',
  'object',
  'untyped',
  'contradictory',
] as const;
export type DeliveryShape = (typeof deliveryShapes)[number];

type Entry = Record<string, unknown>;
interface Body {
  type: string | null;
  version: number;
  data: Entry[];
}

/** The bodies to POST for a delivery: one for each entry in shape `object`, else one. */
export function shaped({ type, body }: { type: DeliveryType; body: string }, shape: DeliveryShape): string[] {
  if (shape === 'slim') return [body];
  const sent = JSON.parse(body) as Body;
  if (shape === 'object') return sent.data.map((entry) => JSON.stringify({ ...sent, data: entry }));
  if (shape === 'untyped') return [JSON.stringify({ ...sent, type: null })];
  // The remaining shapes exist only for deliveries about issuance.
  if (type !== 'issue_complete' && type !== 'issue_failed') return [body];
  return [JSON.stringify({ ...sent, data: sent.data.map(entryShapes[shape]) })];
}

const entryShapes = {
  srr: (entry: Entry): Entry => {
    const { srrId: _, tokenId, metadataCID, metadataURL, collectionContractAddress, ...others } = entry;
    // An entry without token id was refused before it got one: it has no `srr`.
    if (tokenId === undefined) return entry;
    return { ...others, srr: { tokenId, metadataCID, metadataURL, collectionContractAddress } };
  },
  'externalId-only': ({ groupId, externalId }: Entry): Entry => ({ groupId, externalId }),
  // Contradicts `issue_complete`; entries of `issue_failed` have this status already.
  contradictory: (entry: Entry): Entry => ({ ...entry, status: 'failed' }),
};
