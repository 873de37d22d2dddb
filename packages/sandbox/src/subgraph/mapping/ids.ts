import { type Address, concat, type Hex, keccak256, stringToBytes, toBytes } from 'viem';

/**
 * The id of a record: keccak-256 of its contract's address and its token id. The token id is in little-endian
 * bytes of the shortest signed form, so a set top bit adds a zero byte.
 */
export function srrId(contract: Address, tokenId: bigint): Hex {
  const bytes: number[] = [];
  for (let rest = tokenId; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 0xffn));
  if (bytes.length === 0 || (bytes.at(-1) ?? 0) & 0x80) bytes.push(0);
  return keccak256(concat([toBytes(contract), Uint8Array.from(bytes)]));
}

/** One per record and block time: of several changes of owner in a block, the first is kept. */
export function provenanceId(srr: Hex, timestampMs: string): Hex {
  return keccakOfText(srr + timestampMs);
}

/** One per record and history. */
export function srrHistoryId(srr: Hex, customHistoryId: string): Hex {
  return keccakOfText(srr + customHistoryId);
}

/** One per event that set a record's metadata. */
export function metadataHistoryId(txHash: Hex, logIndex: number, digest: string): Hex {
  return keccakOfText(`${txHash}0x${logIndex.toString(16)}${digest}`);
}

/** Identifies the state before a change, so it is made of the replaced digest. */
export function customHistoryMetadataHistoryId(previousDigest: string, timestampMs: string): Hex {
  return keccakOfText(previousDigest + timestampMs);
}

function keccakOfText(text: string): Hex {
  return keccak256(stringToBytes(text));
}
