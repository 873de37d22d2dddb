import { z } from 'zod';
import { type Address, parseAddress } from '../lib/address.ts';
import { fingerprint } from '../lib/canonical-json.ts';
import { GatewayError } from '../lib/errors.ts';
import { storable, unstorable } from '../lib/storable.ts';
import { parseTokenId } from '../lib/token-id.ts';
import type { EventType } from '../store/tables.ts';
import { eventTypeOf } from './kinds.ts';

/** One entry of a delivery, read as far as the flow needs it; the rest stays in `raw`. */
export interface ParsedEvent {
  type: EventType;
  kind: string;
  dedupe: string;
  externalId: string | null;
  tokenId: string | null;
  collection: Address | null;
  message: string | null;
  raw: Record<string, unknown>;
}

/** What the kind of the oldest deliveries is called, which do not say it: they had nothing but `data`. */
const untyped = 'untyped';

// Unknown fields stay.
const delivery = z.looseObject({
  type: z.string().min(1).default(untyped),
  data: z.array(z.record(z.string(), z.unknown())),
});

/**
 * Reads a delivery's body. An entry that lacks what its kind must tell is kept as UNRECOGNIZED: the
 * sender is never told to repeat what it would only repeat unchanged.
 * @throws GatewayError when the body is no delivery at all.
 */
export function parseDelivery(body: unknown, kinds: Record<string, EventType>): ParsedEvent[] {
  const parsed = delivery.safeParse(body);
  if (!parsed.success)
    throw new GatewayError({
      code: 'INVALID_INPUT',
      message: `This is no delivery: ${faultsIn(parsed.error)}. Expected {"type": "issue_complete", "data": [{…}]}.`,
    });
  const bad = unstorable(parsed.data);
  if (bad?.tooDeep) throw new GatewayError({ code: 'INVALID_INPUT', message: `The delivery ${bad.why}.` });
  const { type: kind, data } = storable(parsed.data) as z.infer<typeof delivery>;
  return data.map((raw) => parseEntry(kind, raw, kinds));
}

/** Enough to see the mistake by; a body of millions of entries may have one in each. */
const shownFaults = 3;

/** In one line, for a log or a sender that shows no more. */
const faultsIn = ({ issues }: z.ZodError) =>
  issues
    .slice(0, shownFaults)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');

/** Reads one entry of a delivery, or of the log again. */
export function parseEntry(
  kind: string,
  raw: Record<string, unknown>,
  kinds: Record<string, EventType>,
): ParsedEvent {
  const externalId = text(raw.externalId);
  const tokenId = tokenIdIn(raw.tokenId) ?? tokenIdIn(raw.srrId);
  const collection = parseAddress(
    text(raw.collectionContractAddress) ?? text(raw.collectionAddress) ?? text(raw.address) ?? '',
  );
  const known = eventTypeOf(kind, kinds);
  const usable = needs[known]({ externalId, tokenId, collection: collection ?? null });
  return {
    type: usable ? known : 'UNRECOGNIZED',
    kind,
    // A repeated delivery may be grouped anew, but its entries say the same.
    dedupe: fingerprint([kind, { ...raw, groupId: undefined }]),
    externalId,
    tokenId,
    collection: collection ?? null,
    message: text(raw.message) ?? text(raw.reason) ?? text(raw.error),
    raw,
  };
}

type Ids = Pick<ParsedEvent, 'externalId' | 'tokenId' | 'collection'>;

/** Without these an entry says nothing that could be acted on or shown as its kind. */
const needs: Record<EventType, (ids: Ids) => boolean> = {
  SRR_ISSUED: (ids) => ids.tokenId !== null,
  SRR_FAILED: (ids) => ids.tokenId !== null || ids.externalId !== null,
  TRANSFER_RESERVED: () => true,
  TRANSFER_COMPLETED: () => true,
  COLLECTION_CREATED: (ids) => ids.collection !== null,
  COLLECTION_FAILED: () => true,
  UNRECOGNIZED: () => true,
};

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function tokenIdIn(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  return (typeof value === 'string' && parseTokenId(value)) || null;
}
