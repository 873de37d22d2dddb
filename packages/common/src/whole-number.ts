import { z } from 'zod';

interface Bounds {
  /** The unit in the message, such as "bytes". */
  of?: string;
  min: number;
  max?: number;
}

/** Text that is not blank. A blank one would become 0, which as a limit means none. */
export const notBlank = (message: string) => z.string().regex(/\S/, message);

/** A zod schema for a whole number within bounds, which its message names. */
export function wholeNumber({ of, min, max }: Bounds) {
  const bounds = max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  const message = `must be a whole number${of === undefined ? '' : ` of ${of}`}, ${bounds}`;
  const number = z.coerce.number<string>(message);
  return notBlank(message).pipe(
    number
      .int()
      .min(min)
      .max(max ?? Number.MAX_SAFE_INTEGER),
  );
}

/** A TCP port; 0 means any free one. */
export const port = wholeNumber({ min: 0, max: 65_535 });
