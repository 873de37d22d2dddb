import { type Abi, BaseError, decodeErrorResult, type Hex, HttpRequestError, TimeoutError } from 'viem';
import {
  collectionAbi,
  collectionFactoryAbi,
  customHistoriesAbi,
  licensedUserManagerAbi,
  licensedUserWalletAbi,
} from './artifacts/abis.ts';

/** The transaction failures that the service's document names, with its texts. */
export const failureReasons = {
  outOfFunds: 'account out of funds',
  nonce: 'nonce out of sync',
  underpriced: 'transaction or replacement underpriced',
  gasAllowance: 'required gas over the allowance',
} as const;

export type FailureKind = keyof typeof failureReasons;

/** Error texts of nodes for each failure; the first match counts. */
const wordings: readonly [FailureKind, RegExp][] = [
  [
    'gasAllowance',
    /required exceeds allowance|intrinsic gas too (low|high)|exceeds (block|transaction) gas limit/i,
  ],
  ['outOfFunds', /insufficient funds|out of funds/i],
  ['nonce', /nonce too (low|high)|nonce.*(already|invalid)|already imported/i],
  ['underpriced', /underpriced|max fee per gas less than block base fee|fee cap (less|too low)/i],
];

/** Why a transaction failed; `reason` is the text that the service reports. */
export interface Failure {
  /** Absent when the contract reverted, or the document has no name for the failure. */
  kind?: FailureKind;
  reason: string;
  /** Whether another attempt may succeed. */
  transient: boolean;
}

/** Whether the node has not answered, so that it may or may not have executed the call. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null;

/** Classifies an error of the node, or decodes the revert of a contract. */
export function readFailure(error: unknown): Failure {
  const text = errorText(error);
  const known = wordings.find(([, wording]) => wording.test(text));
  // A call that needs too much gas will not need less later.
  if (known)
    return { kind: known[0], reason: failureReasons[known[0]], transient: known[0] !== 'gasAllowance' };
  const data = revertData(error);
  return { reason: (data && revertReason(data)) ?? firstLine(text), transient: isUnanswered(error) };
}

/**
 * Name and arguments of the error that one of our contracts reverted with; `undefined` for any other data.
 */
export function revertReason(data: Hex): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: ourErrors, data });
    return errorName === 'Error' ? String(args?.[0]) : `${errorName}(${(args ?? []).join(', ')})`;
  } catch {
    return undefined;
  }
}

const ourErrors: Abi = [
  ...collectionAbi,
  ...collectionFactoryAbi,
  ...customHistoriesAbi,
  ...licensedUserManagerAbi,
  ...licensedUserWalletAbi,
].filter((item) => item.type === 'error');

function errorText(error: unknown): string {
  if (error instanceof BaseError) return `${error.shortMessage}\n${error.details}`;
  return error instanceof Error ? error.message : String(error);
}

/** Finds the revert data, which viem puts on one of the errors in the chain of causes. */
function revertData(error: unknown): Hex | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { data } = cause as { data?: unknown };
    if (typeof data === 'string' && data.startsWith('0x')) return data as Hex;
  }
  return undefined;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
