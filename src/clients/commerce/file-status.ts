import type { UploadStatus } from '../../model/upload-status.ts';
import type { FileState } from './files.ts';

/**
 * Words for a calculation that still runs: HASH_STILL_IN_CALCULATION and what a service may say beside it,
 * such as CID_STILL_IN_CALCULATION or "the cid is still being calculated".
 */
const calculating = [
  /(?:^|[^a-z])(?:still|being|in)[^a-z]+(?:in[^a-z]+|being[^a-z]+)?calculat/i,
  /calculat\w*[^a-z]+(?:is[^a-z]+)?(?:still[^a-z]+)?(?:in[^a-z]+progress|pending|running|under[^a-z]+way)/i,
];

/** What the service's answer means for whoever waits for the file. */
export function statusOfFile(state: FileState): UploadStatus {
  if (state.missing) return 'AWAITING_BYTES';
  if (state.inaccessible) return 'FAILED';
  if (state.hash && state.cid) return 'READY';
  // The document promises a message whenever there is a problem.
  if (!state.message || calculating.some((words) => words.test(state.message as string)))
    return 'CALCULATING';
  return 'FAILED';
}
