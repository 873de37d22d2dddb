import { expect, it } from 'vitest';
import { languageMap } from '../../catalog/metadata-accessors.ts';
import { pickLanguage } from './pick-language.ts';

it.each([
  [{ en: 'a', ja: 'b' }, ['ja', 'en'], 'ja'],
  [{ en: 'a', ja: 'b' }, ['JA-jp', 'en'], 'ja'],
  [{ en: 'a', 'zh-Hant': 'b', 'zh-Hans': 'c' }, ['zh'], 'zh-Hant'],
  [{ 'zh-Hant': 'b', 'zh-Hans': 'c' }, ['zh-hans-CN', 'zh-Hans'], 'zh-Hant'],
  [{ fr: 'a', de: 'b' }, ['ja', 'en'], 'fr'],
  [{ ja: '', en: 'a' }, ['ja', 'en'], 'en'],
  [{ ja: '', en: '', fr: 'a' }, ['ja'], 'fr'],
  [{ 'ja-JP': '', ja: 'a' }, ['ja-JP'], 'ja'],
  [{ ja: '', en: '' }, ['en'], 'en'],
  [{}, ['en'], 'und'],
])('from the texts %j, a client that prefers %j gets %s', (all: Record<string, string>, wanted, language) => {
  expect(pickLanguage(all, wanted)).toEqual({ language, text: all[language] ?? '' });
});

it('a text is found fast in a document with 50,000 languages', () => {
  const tag = (n: number) => `${n.toString(36)}-a`;
  const document = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [tag(n), 'text']));
  const wanted = Array.from({ length: 100 }, (_, n) => `none${n}`);
  const startedAt = performance.now();
  for (let time = 0; time < 500; time++)
    expect(pickLanguage(languageMap(document) ?? {}, wanted).text).toBe('text');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
