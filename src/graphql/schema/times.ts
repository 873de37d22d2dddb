import { UpstreamError } from '../../model/errors.ts';

/** Parses a time of the subgraph: milliseconds as decimal text. @throws UpstreamError for anything else. */
export function dateOrNull(milliseconds: string | null | undefined): Date | null {
  return milliseconds == null ? null : dateOf(milliseconds);
}

/** The same for times that are never null: `Number` would take null for the start of 1970. */
export function dateOf(milliseconds: string): Date {
  const date = new Date(isWhole(milliseconds) ? Number(milliseconds) : Number.NaN);
  if (!Number.isNaN(date.getTime())) return date;
  throw new UpstreamError(
    {
      code: 'UPSTREAM_BAD_RESPONSE',
      message: 'The subgraph sent a time in a form that is not understood. Report it to the operator.',
    },
    { upstream: 'SUBGRAPH', maybeProcessed: false },
  );
}

const isWhole = (value: unknown): boolean => /^-?\d+$/.test(String(value));
