import { z } from 'zod';
import { type Address, parseAddress } from '../../lib/address.ts';
import { ServiceError } from '../http/service-error.ts';

/** A choice: what the live service allows is not known, and this is the index's own page. */
const largestPage = 1_000;

const whole = (name: string) =>
  z.coerce.number(`${name} must be an integer number`).int(`${name} must be an integer number`);

/** The query of the owned-SRRs endpoint; `offset` and whatever else is sent are ignored. */
export const ownedQuery = z.object({
  limit: whole('limit')
    .min(1, 'limit must not be less than 1')
    .max(largestPage, `limit must not be greater than ${largestPage}`)
    .default(100)
    .describe(`Records on a page, at most ${largestPage}.`),
  page: whole('page')
    .min(1, 'page must not be less than 1')
    // Far beyond any list, and every product with a limit stays exact.
    .max(1_000_000_000, 'page must not be greater than 1000000000')
    .default(1)
    .describe('From 1. Past the last page the list is empty.'),
});

export function readOwnedQuery(query: unknown): z.infer<typeof ownedQuery> {
  const parsed = ownedQuery.safeParse(query);
  if (parsed.success) return parsed.data;
  throw new ServiceError(400, [...new Set(parsed.error.issues.map(({ message }) => message))]);
}

export function readAddress(text: string, name: string): Address {
  // Addresses in paths come in every letter case; a wrong checksum is not worth a refusal of a read.
  const address = parseAddress(text.toLowerCase());
  if (address === undefined) throw new ServiceError(400, [`${name} must be a valid Ethereum addresses`]);
  return address;
}

export function readTokenId(text: string): bigint {
  if (!/^\d{1,78}$/.test(text)) throw new ServiceError(400, ['tokenId must be a number string']);
  return BigInt(text);
}
