import type { HTTPMethods } from 'fastify';
import { z } from 'zod';
import { addressInAnyCase } from '../http/values.ts';

/** A choice: the live service's limit is not known, and this is the largest page of the subgraph. */
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
    // Far beyond any list; page times limit still is a safe integer.
    .max(1_000_000_000, 'page must not be greater than 1000000000')
    .default(1)
    .describe('From 1. Past the last page the list is empty.'),
});

/** An address in a path, in any letter case. */
export const addressParameter = (name: string) =>
  addressInAnyCase(`${name} must be a valid Ethereum addresses`);

export const tokenIdParameter = z
  .string()
  .regex(/^\d{1,78}$/, 'tokenId must be a number string')
  .transform(BigInt);

export const tokenFile = z.string().describe('`<tokenId>.json`');

/** OPTIONS too: browsers send a preflight request from pages of other origins. */
export const method: HTTPMethods[] = ['GET', 'OPTIONS'];
