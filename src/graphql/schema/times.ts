import { UpstreamError } from '../../model/errors.ts';

/**
 * In 1973. No record is that old, so a smaller number is in seconds: a migration of a subgraph may store such times.
 */
const earliestMs = 1e11;

/** Parses a time of the subgraph: milliseconds as decimal text. @throws UpstreamError for anything else. */
export function dateOf(text: string): Date {
  // `Number` would take null for the start of 1970.
  const time = isWhole(text) ? Number(text) : Number.NaN;
  const date = new Date(time < earliestMs ? time * 1_000 : time);
  if (!Number.isNaN(date.getTime())) return date;
  throw new UpstreamError(
    {
      code: 'UPSTREAM_BAD_RESPONSE',
      message: 'The subgraph sent a time in a form that is not understood. Report it to the operator.',
    },
    { upstream: 'SUBGRAPH', maybeProcessed: false },
  );
}

/** The same for times that may be null. */
export const dateOrNull = (text: string | null | undefined): Date | null =>
  text == null ? null : dateOf(text);

const isWhole = (value: unknown): boolean => /^-?\d+$/.test(String(value));
