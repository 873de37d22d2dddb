import { z } from 'zod';
import { bytes32 } from '../http/values.ts';
import { controlAddress } from './runtime-settings.ts';

/** The request and response bodies of the chain routes. */

const token = {
  tokenId: z
    .string()
    // `abort`: the next check cannot read other text.
    .regex(/^\d{1,78}$/, { error: 'must be a decimal token id', abort: true })
    .refine((text) => BigInt(text) < 2n ** 256n, 'must fit into 256 bits'),
  collection: controlAddress().optional().describe('The contract of the record. Absent: the registry.'),
};

const story = {
  metadataCID: z.string().max(200).default(''),
  customHistoryId: z.int().min(0).default(0).describe('The custom history that it belongs to; 0: none.'),
};

export const history = z.strictObject({
  type: z.string().min(1).max(100).describe('The type of the history, which is registered on first use.'),
  name: z.string().min(1).max(500),
  metadataCID: z.string().min(1).max(200),
  records: z.array(z.strictObject(token)).max(100).default([]),
});

export const transfer = z.strictObject({
  ...token,
  ...story,
  to: controlAddress(),
  isIntermediary: z.boolean().default(false),
});

export const reservation = z.strictObject({
  ...token,
  ...story,
  commitment: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')
    .describe('keccak-256 of the 32 bytes that later authorize the transfer.'),
});

export const reorganisation = z.strictObject({
  depth: z.int().min(1).max(64),
  records: z
    .enum(['again', 'lost'])
    .default('again')
    .describe('Whether the transactions of the replaced blocks are mined again, or lost.'),
});

export const mined = z
  .object({ status: z.literal('mined'), txHash: bytes32, blockNumber: z.int() })
  .describe('The transaction is mined.');

export const replaced = z
  .object({ head: z.int(), from: z.int(), transactions: z.array(bytes32) })
  .describe('What was replaced: the blocks `from` to `head`, and the transactions in them.');
