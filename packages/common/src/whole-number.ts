import { z } from 'zod';

interface Bounds {
  /** What is counted; absent: nothing in particular. */
  of?: string;
  min: number;
  max?: number;
}

/** A setting that is a whole number within bounds; its fault names them, whichever way it is wrong. */
export function wholeNumber({ of, min, max }: Bounds) {
  const bounds = max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  const text = z.coerce.number(`must be a whole number${of === undefined ? '' : ` of ${of}`}, ${bounds}`);
  return text
    .int()
    .min(min)
    .max(max ?? Number.MAX_SAFE_INTEGER);
}

/** A TCP port; 0: any that is free. */
export const port = wholeNumber({ min: 0, max: 65_535 });
