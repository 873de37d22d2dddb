/** The largest number of 256 bits has 78 digits. */
const digits = /^\d{1,78}$/;

/** Parses a token id and returns it without leading zeros, its canonical form; undefined for other text. */
export const parseTokenId = (text: string): string | undefined =>
  digits.test(text) ? text.replace(/^0+(?=\d)/, '') : undefined;

/** Whether a text is a token id without leading zeros. */
export const isTokenId = (text: string): boolean => parseTokenId(text) === text;
