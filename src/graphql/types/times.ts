/** The index tells times as milliseconds in decimal text. */
export function moment(milliseconds: string | null | undefined): Date | null {
  return milliseconds == null ? null : new Date(Number(milliseconds));
}

/** The same for fields that are always there. */
export const momentOf = (milliseconds: string): Date => new Date(Number(milliseconds));
