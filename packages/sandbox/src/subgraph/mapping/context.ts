import type { Address, Hex } from 'viem';
import type { Batch } from '../store/batch.ts';
import type { Value } from '../store/columns.ts';

/** The event that a handler handles, and where to store its effects. */
export interface EventContext {
  /** The contract that emitted it, in lower case. */
  address: Address;
  txHash: Hex;
  logIndex: number;
  /** Block time in milliseconds, as a decimal string. */
  timestampMs: string;
  /** The registry's address in lower case; its records have no collection. */
  registry: Address;
  /** CAIP-2 name of the chain. */
  originChain: string;
  store: Batch;
}

/** The time fields of a new entity. */
export function createdNow({ timestampMs }: EventContext): Record<string, Value> {
  return { createdAt: timestampMs, createdAtStr: utc(timestampMs) };
}

/** The time fields of a changed entity. */
export function updatedNow({ timestampMs }: EventContext): Record<string, Value> {
  return { updatedAt: timestampMs, updatedAtStr: utc(timestampMs) };
}

function utc(timestampMs: string): string {
  return new Date(Number(timestampMs)).toUTCString();
}

/** The address in lower case, as entity ids have it. */
export function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
