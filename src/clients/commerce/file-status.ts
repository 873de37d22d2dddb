import type { UploadStatus } from '../../model/upload-status.ts';
import type { FileState } from './files.ts';

/**
 * Matches messages that say a calculation still runs: HASH_STILL_IN_CALCULATION and what a service may say
 * instead, such as CID_STILL_IN_CALCULATION or "the cid is still being calculated".
 */
const calculating = [
  /(?:^|[^a-z])(?:still|being|in)[^a-z]+(?:in[^a-z]+|being[^a-z]+)?calculat/i,
  /calculat\w*[^a-z]+(?:is[^a-z]+)?(?:still[^a-z]+)?(?:in[^a-z]+progress|pending|running|under[^a-z]+way)/i,
];

/** The upload status that a file's state stands for. */
export function statusOfFile(state: FileState): UploadStatus {
  if (state.missing) return 'AWAITING_BYTES';
  if (state.inaccessible) return 'FAILED';
  if (state.hash && state.cid) return 'READY';
  // The API document promises a message for every problem, so no message means: still calculating.
  if (!state.message || calculating.some((words) => words.test(state.message as string)))
    return 'CALCULATING';
  return 'FAILED';
}
