import type { HTTPMethods } from 'fastify';
import { z } from 'zod';
import { addressInAnyCase } from '../http/values.ts';

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

/** Whose words stand alone: they name the parameter themselves, and say it once. */
export function words({ issues }: z.ZodError): string[] {
  return [...new Set(issues.map(({ message }) => message))];
}

/** Addresses in paths come in every letter case. */
export const addressParameter = (name: string) =>
  addressInAnyCase(`${name} must be a valid Ethereum addresses`);

export const tokenIdParameter = z
  .string()
  .regex(/^\d{1,78}$/, 'tokenId must be a number string')
  .transform(BigInt);

export const tokenFile = z.string().describe('`<tokenId>.json`');

/** Pages of other origins ask first. */
export const method: HTTPMethods[] = ['GET', 'OPTIONS'];
