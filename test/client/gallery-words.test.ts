import { expect, it } from 'vitest';
import { en } from '../../examples/gallery/src/words/en.ts';
import { ja } from '../../examples/gallery/src/words/ja.ts';
import { zh } from '../../examples/gallery/src/words/zh.ts';
import { eventTypeInfo } from '../../src/model/event-type.ts';

// `npm run check` does not type the gallery, because its packages need not be installed.
it.each(Object.entries({ en, ja, zh }))('the gallery has a name for each type of event: %s', (_, words) => {
  const names = Object.values(eventTypeInfo).map(({ name }) => name);
  expect(Object.keys(words.eventTypes).sort()).toEqual(names.sort());
});
