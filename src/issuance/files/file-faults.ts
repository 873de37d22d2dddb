import type { Fault } from '../../model/errors.ts';
import { fileKeyText, type UploadStatus } from '../../model/file.ts';
import type { WaitedFile } from './waited-files.ts';

/** How long and how often a file must be seen with a problem before its issuance is rejected. */
interface Grace {
  ms: number;
  looks: number;
}

// An eventually consistent storage shows a file within seconds after its PUT. Report a file that was never uploaded
// while its caller still waits.
const missingGrace: Grace = { ms: 10_000, looks: 3 };
// The service may retry by itself, or get access back. The document gives no time, so a minute is a guess. A
// longer problem needs a person, so report it before FILES_READY_TIMEOUT.
const problemGrace: Grace = { ms: 60_000, looks: 5 };

/** A file that is not ready, and whether the service says that the issuer may not access it. */
export interface LateFile extends WaitedFile {
  inaccessible: boolean;
}

const graces: { [Status in UploadStatus]?: Grace } = { AWAITING_BYTES: missingGrace, FAILED: problemGrace };

/**
 * Why the wait for these files ends; undefined while it goes on.
 * @param overdue Whether FILES_READY_TIMEOUT has passed.
 */
export function waitFault(late: LateFile[], overdue: boolean): Fault | undefined {
  const hopeless = late.filter((file) => {
    const grace = graces[file.status];
    return grace && (overdue || (file.forMs >= grace.ms && file.looks >= grace.looks));
  });
  const missing = hopeless.filter(({ status }) => status === 'AWAITING_BYTES');
  if (missing.length > 0) return missingFault(missing);
  const inaccessible = hopeless.filter((file) => file.inaccessible);
  if (inaccessible.length > 0) return inaccessibleFault(inaccessible);
  if (hopeless.length > 0) return problemFault(hopeless);
  return overdue ? calculatingFault(late) : undefined;
}

/** The longest pause in milliseconds that still allows the required checks within each file's grace period. */
export const longestPause = (late: LateFile[]): number =>
  Math.min(
    ...late.map((file) => {
      const grace = graces[file.status];
      return grace ? grace.ms / grace.looks : Number.POSITIVE_INFINITY;
    }),
  );

/** Names ten files at most, for messages; `Issuance.files` lists all of them. */
export function namesOf(files: WaitedFile[]): string {
  const names = files.slice(0, 10).map(fileKeyText).join(', ');
  return files.length > 10 ? `${names} and ${files.length - 10} more` : names;
}

const missingFault = (files: WaitedFile[]): Fault => ({
  code: 'FILE_NOT_FOUND',
  message: `The service does not find ${namesOf(files)}. Upload the bytes first, then issue again under a new requestId.`,
});

const inaccessibleFault = (files: WaitedFile[]): Fault => ({
  code: 'FORBIDDEN',
  message: `The service says that ${namesOf(files)} cannot be accessed by this issuer; nothing was issued. Name files of the issuer, or ask the service's operator.`,
  ...messageOf(files),
});

const problemFault = (files: WaitedFile[]): Fault => ({
  code: 'FILE_NOT_READY',
  message: `The service has a problem with ${namesOf(files)}: ${files[0]?.message}. Nothing was issued. Upload the content again under another name, or ask the service's operator.`,
  ...messageOf(files),
});

const calculatingFault = (files: WaitedFile[]): Fault => ({
  code: 'FILE_NOT_READY',
  message: `The service has not calculated the hash and CID of ${namesOf(files)} in time; nothing was issued. Issue again under a new requestId once the query uploads shows READY. If it stays CALCULATING, ask the service's operator.`,
  ...messageOf(files),
});

function messageOf(files: WaitedFile[]): { upstreamMessage?: string } {
  const message = files.find((file) => file.message)?.message;
  return message ? { upstreamMessage: message } : {};
}
