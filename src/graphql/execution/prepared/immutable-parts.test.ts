import { describe, expect, it } from 'vitest';
import { type PartConditions, reuseParts } from './immutable-parts.ts';

const conditions = (given: Partial<PartConditions> = {}) => ({
  languages: 'en',
  variablesRead: 0,
  mayChangeWithoutNewBlock: false,
  ...given,
});
type Conditions = ReturnType<typeof conditions>;

/** Completes documents, and counts how often it does so. */
function counting(more: (conditions: Conditions) => void = () => {}) {
  let count = 0;
  const complete = reuseParts(
    { contentOf: (source: { document?: object }) => source.document },
    (_source: { document?: object }, conditions: Conditions) => {
      more(conditions);
      return { times: ++count };
    },
  );
  return complete;
}

describe('completed parts of immutable objects', () => {
  it('are reused for every object with the same content', () => {
    const complete = counting();
    const document = {};
    const first = complete({ document }, conditions());
    expect(complete({ document }, conditions())).toBe(first);
    expect(complete({ document: {} }, conditions())).toEqual({ times: 2 });
  });

  it('are not reused for other languages or another selection', () => {
    const [complete, other] = [counting(), counting()];
    const document = {};
    complete({ document }, conditions());
    expect(complete({ document }, conditions({ languages: 'ja' }))).toEqual({ times: 2 });
    expect(complete({ document }, conditions())).toEqual({ times: 3 });
    expect(other({ document }, conditions())).toEqual({ times: 1 });
  });

  it.each<[string, (conditions: Conditions) => void]>([
    ['an argument is a variable', (one) => one.variablesRead++],
    [
      'a value may change without a new block',
      (one) => Object.assign(one, { mayChangeWithoutNewBlock: true }),
    ],
  ])('are not cached when %s', (_, more) => {
    const complete = counting(more);
    const document = {};
    complete({ document }, conditions());
    expect(complete({ document }, conditions())).toEqual({ times: 2 });
  });

  it('are not cached when they complete asynchronously, since that may fail', async () => {
    let count = 0;
    const complete = reuseParts(
      { contentOf: (source: object) => source },
      async (_source: object, _conditions: Conditions) => ({ times: ++count }),
    );
    const document = {};
    await complete(document, conditions());
    expect(await complete(document, conditions())).toEqual({ times: 2 });
  });

  it('are not cached for an object without content, nor for a type without content', () => {
    const complete = counting();
    complete({}, conditions());
    expect(complete({}, conditions())).toEqual({ times: 2 });
    const plain = () => ({});
    expect(reuseParts({}, plain)).toBe(plain);
  });
});
