/**
 * A language tag that is well formed by BCP 47 (RFC 5646, section 2.1): language, script, region, variants,
 * extensions, private use. Languages of four letters or more are refused: none is registered, so a word such
 * as "english" is a mistake. The shipped metadata schemas have the same pattern.
 */
export const languageTag =
  /^(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[0-9A-WYZa-wyz](?:-[A-Za-z0-9]{2,8})+)*(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?|[Xx](?:-[A-Za-z0-9]{1,8})+)$/;

/** Whether a text is a well-formed language tag. */
export const isLanguageTag = (text: string): boolean => languageTag.test(text);
