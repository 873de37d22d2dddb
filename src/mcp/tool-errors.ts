import type { Caller } from '../access/caller.ts';
import { type ErrorCode, solvedBy } from '../model/error-codes.ts';
import type { Scope } from '../model/scope.ts';

/** A fault as an agent gets it. */
export interface ToolError {
  code: string;
  message: string;
  /** The place in the tool's arguments, such as `entries.0.metadata.title`. */
  argument?: string;
  /** What the agent should do next. */
  next?: string;
  [more: string]: unknown;
}

/** A fault with its next step, without empty parts. */
export function toolError<Fault extends { code: string; message: string }>(fault: Fault): ToolError {
  const parts = Object.entries({ ...fault, next: nextStep(fault.code as ErrorCode) });
  return Object.fromEntries(parts.filter(([, value]) => value != null && value !== '')) as ToolError;
}

/** A fault as one line of text. */
export const lineOf = ({ code, message, argument, next, upstreamMessage, ...known }: ToolError): string =>
  [
    `${code}${argument ? ` at ${argument}` : ''}: ${message}`,
    upstreamMessage ? `The system behind the gateway says: ${upstreamMessage}` : '',
    // The next step refers to these, and many hosts show the model only the text.
    ...['continueAfter', 'errorId'].map((name) => (known[name] ? `${name}: "${known[name]}".` : '')),
    next ? `Next: ${next}` : '',
  ]
    .filter(Boolean)
    .join(' ');

/** The refusal of a caller whose token lacks the scope, or who sends no token. */
export const lacksScope = (caller: Caller, scope: Scope): ToolError =>
  caller.kind === 'anonymous'
    ? toolError({
        code: 'UNAUTHENTICATED',
        message: `This tool needs a token with the scope "${scope}", and this connection sends none.`,
      })
    : toolError({ code: 'FORBIDDEN', message: `The token lacks the scope "${scope}".` });

const otherName = 'Choose another filename.';

const nextStep = (code: ErrorCode) => {
  if (nextSteps[code] !== undefined) return nextSteps[code];
  if (solvedBy[code] === 'later') return 'Try again in a few seconds, with the same arguments.';
  if (solvedBy[code] === 'operator') return 'Tell the user. Do not try again.';
  return undefined;
};

/** The next step for codes for which neither the message nor `solvedBy` says what to do. */
const nextSteps: Partial<Record<ErrorCode | 'LIMIT_EXCEEDED', string>> = {
  UNAUTHENTICATED:
    'Ask the user to configure the header "Authorization: Bearer <token>" for this MCP server. Do not try again before that.',
  FORBIDDEN: 'Ask the user for a token with this scope. Do not try again with this one.',
  INVALID_INPUT: 'Correct this argument and call again.',
  UNKNOWN_ARTIST: 'Find the artist’s address with list_licensed_users. A new artist must be licensed first.',
  IDEMPOTENCY_CONFLICT:
    'Call get_issuance to see what this requestId issued. Choose a new requestId only for other records.',
  DUPLICATE_REQUEST_ID: 'Call get_issuance to see what this requestId issued.',
  DUPLICATE_EXTERNAL_ID:
    'This record may exist already: see list_issuances with this externalId before you choose another.',
  DUPLICATE_METADATA: 'The same record exists already. Do not issue it again.',
  FILE_NOT_FOUND: 'Upload the file with upload_file or create_uploads, and give its id.',
  FILE_NOT_READY: 'Call get_uploads in half a minute, and try again when the file is READY.',
  FILE_NOT_PUBLIC: 'Upload the file under the category NON_ATTACHMENT_FILE.',
  FILENAME_TAKEN:
    'Call get_uploads to see whether the file under this name is the one that you mean: its hash is the SHA-256 of its content. If so, give its id; otherwise choose another filename.',
  FILENAME_HAS_SPACE: otherName,
  FILENAME_EXTENSION_MISSING: otherName,
  CURSOR_EXPIRED: 'Call again with continueAfter as this argument, or without it from the start.',
  RATE_LIMITED: 'Wait as long as the message says, or a minute.',
  LIMIT_EXCEEDED: 'Ask for less in one call.',
  UNKNOWN_ERROR: 'Tell the user the errorId. Before repeating issue_records, call get_issuance.',
};
