import fc, { type Arbitrary } from 'fast-check';

type Path = (string | number)[];

/** Fields that may be null or any text, so only a wrong type is malformed. */
const lenient = /^(requestId|payload\.0\.(to|externalUrls|attachmentFiles)|payload\.salt)$/;

/** Fields of an invented delivery, which may have any value. */
const free = /^data\.\d+\./;

/** Every path in a document, with its value. */
function placesOf(value: unknown, at: Path = []): { at: Path; value: unknown }[] {
  const here = at.length > 0 ? [{ at, value }] : [];
  if (value === null || typeof value !== 'object') return here;
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [...here, ...inner.flatMap(([key, part]) => placesOf(part, [...at, key]))];
}

function replaced(document: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(document))
    return document.map((part, index) => (index === key ? replaced(part, rest, value) : part));
  const record = document as Record<string, unknown>;
  return { ...record, [key]: replaced(record[key], rest, value) };
}

/** Values of a wrong type, also huge ones. */
function wrongFor(value: unknown, mayBeNull: boolean): Arbitrary<unknown> {
  const kinds = {
    string: fc.constant('text'),
    number: fc.constantFrom(0, -1, 1.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER),
    boolean: fc.boolean(),
    array: fc.constantFrom(
      [],
      [null],
      [[[]]],
      Array.from({ length: 20_000 }, () => null),
    ),
    object: fc.constantFrom({}, { toString: 1 }, { length: 5 }, { constructor: 1 }),
  };
  const own = Array.isArray(value) ? 'array' : (typeof value as keyof typeof kinds);
  const others = Object.entries(kinds).flatMap(([kind, values]) => (kind === own ? [] : [values]));
  return fc.oneof(...others, ...(mayBeNull ? [] : [fc.constant(null)]));
}

/** Values of the right type but out of range, for fields with restricted values. */
const hugeFor: Record<string, Arbitrary<unknown>> = {
  filename: fc.integer({ min: 2_000, max: 300_000 }).map((length) => `${'x'.repeat(length)}.png`),
  category: fc.integer({ min: 1, max: 300_000 }).map((length) => 'artwork'.repeat(length + 1)),
  action: fc.constant('write'.repeat(100_000)),
  artistAddress: fc.integer({ min: 41, max: 300_000 }).map((length) => `0x${'a'.repeat(length)}`),
  to: fc.constant(`0x${'0'.repeat(500_000)}`),
  salt: fc.constant(`0x${'0'.repeat(500_000)}`),
  $schema: fc.constant(`https://${'x'.repeat(500_000)}`),
  image: fc.constant(`https://${'x'.repeat(500_000)}`),
  unit: fc.constant('mm'.repeat(100_000)),
  royaltyRate: fc.constantFrom(1e308, -1e308, 100.000001, -1e-9),
  number: fc.constantFrom(0.1, 1e-300),
};

/** A document with one invalid field. */
export function brokenBodies(document: object): Arbitrary<string> {
  const places = placesOf(document).filter(({ at }) => !free.test(at.join('.')));
  return fc.constantFrom(...places).chain(({ at, value }) => {
    const huge = hugeFor[String(at.at(-1))];
    const wrong = wrongFor(value, lenient.test(at.join('.')));
    return fc
      .oneof({ weight: 4, arbitrary: wrong }, ...(huge ? [{ weight: 1, arbitrary: huge }] : []))
      .map((broken) => JSON.stringify(replaced(document, at, broken)));
  });
}

/** A document with text that no database can store, in one of its texts or keys. */
export function textWithOddities(document: object): Arbitrary<string> {
  const texts = placesOf(document).filter(({ value }) => typeof value === 'string');
  const odd = fc.constantFrom('\0', '\ud800', '\udc00\ud800', 'a\0b', '\udfff');
  return fc
    .record({ place: fc.constantFrom(...texts), odd, before: fc.string({ unit: 'binary', maxLength: 5 }) })
    .map(({ place, odd: oddity, before }) =>
      JSON.stringify(replaced(document, place.at, `${before}${oddity}${place.value as string}`)),
    );
}

/** Keys that could pollute prototypes, in a random object of the text. */
export function poisonedBodies(text: string): Arbitrary<string> {
  const openings = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
  const poison = fc.constantFrom(
    '"__proto__":{"payload":[]},',
    '"__proto__":null,',
    '"\\u005f_proto__":{"isAdmin":true},',
    '"constructor":{"prototype":{"polluted":1}},',
  );
  return fc
    .tuple(fc.constantFrom(...openings), poison)
    .map(([at, key]) => text.slice(0, at) + key + text.slice(at));
}

/** A truncated document. */
export function truncated(text: string): Arbitrary<string> {
  return fc.integer({ min: 0, max: text.length - 1 }).map((length) => text.slice(0, length));
}

/** Nested far deeper than any document, complete or truncated. */
export function deepBodies(): Arbitrary<string> {
  const depth = fc.constantFrom(40, 1_000, 20_000);
  return fc
    .tuple(depth, fc.constantFrom('[', '{"a":', '{"payload":['), fc.boolean())
    .map(([times, open, whole]) => {
      const close = [...open].reverse().flatMap((c) => ({ '[': ']', '{': '}' })[c] ?? []);
      return open.repeat(times) + (whole ? `1${close.join('').repeat(times)}` : '');
    });
}

/** Malformed bodies, each with its fault. */
export function named<T extends string | Buffer>(what: string, bodies: Arbitrary<T>) {
  return bodies.map((body) => ({ what, body }));
}
