/** No more digits than the largest of 256 bits. */
const digits = /^\d{1,78}$/;

/** Reads the token id of a record and gives its one form, without leading zeros; undefined when it is none. */
export const parseTokenId = (text: string): string | undefined =>
  digits.test(text) ? text.replace(/^0+(?=\d)/, '') : undefined;

/** Whether a text is a token id in its one form. */
export const isTokenId = (text: string): boolean => parseTokenId(text) === text;
