import { expect, it } from 'vitest';
import { acceptedLanguages } from './accept-header.ts';

it.each([
  ['ja;q=0.5, en-GB, zh-Hant;q=0.9', ['en-GB', 'zh-Hant', 'ja']],
  ['ja, fr;q=0, en;q=x', ['ja']],
  ['*, en_GB, <b>, ja', ['ja']],
  ['', []],
  [undefined, []],
])('Accept-Language %j prefers these languages', (header, languages) => {
  expect(acceptedLanguages(header)).toEqual(languages);
});
