import { expect, it } from 'vitest';
import { readJson } from './json-document.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

it('readJson accepts JSON of any kind, with or without a byte order mark', () => {
  expect(readJson(bytes('{"title":{"ja":"無題"}}'))).toEqual({ title: { ja: '無題' } });
  expect(readJson(bytes('\uFEFF[1]'))).toEqual([1]);
  expect(readJson(bytes(nested(100)))).toBeInstanceOf(Array);
});

it('the limit on nesting does not count brackets within strings', () => {
  const text = `${'[{'.repeat(200)}\\" "${']'.repeat(200)}`;
  const documents = [text, { [text]: [text] }, Array(200).fill([{}, text])];
  for (const one of documents) expect(readJson(bytes(JSON.stringify(one)))).toEqual(one);
  const deep = `[${JSON.stringify(`${text}\\`)},${nested(101)}]`;
  expect(() => readJson(bytes(deep))).toThrow('deeper than 100 levels');
  // A single quote within a text neither ends it, nor hides what comes after it.
  const quoted = `"${'['.repeat(200)}`;
  expect(readJson(bytes(JSON.stringify(quoted)))).toBe(quoted);
  expect(() => readJson(bytes(`["\\"",${nested(100)}]`))).toThrow('deeper than 100 levels');
});

it.each([
  ['text that is not JSON', bytes('<html>')],
  ['an empty document', bytes('')],
  ['bytes that are not UTF-8', Uint8Array.from([0x22, 0xff, 0x22])],
  ['nested lists, too deep to print', bytes(nested(100_000))],
  ['nested objects', bytes(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)],
])('readJson refuses %s', (_what, document) => expect(() => readJson(document)).toThrow(SyntaxError));
