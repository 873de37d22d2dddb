import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsUpdate } from '../control/runtime-settings.ts';
import { deliveryShapes } from '../webhooks/shapes.ts';
import { faultSchema } from './fault-schema.ts';
import { magicExternalIds, magicFilenames } from './magic-values.ts';

const page = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8');

it.each([...Object.keys(magicExternalIds), ...Object.keys(magicFilenames)])(
  '%s is in the table of docs/faults.md',
  (value) => {
    expect(page).toContain(`\`${value}…\``);
  },
);

it.each(Object.keys(settingsUpdate.shape).filter((name) => name !== 'webhooks'))(
  'setting %s is in the table',
  (name) => {
    expect(page).toContain(`"${name}":`);
  },
);

it.each(deliveryShapes)('delivery shape %s is in its table', (shape) => {
  expect(page).toContain(`| \`${shape}\` |`);
});

it.each(
  faultSchema.options.flatMap(({ shape }) => {
    const effects =
      'effect' in shape ? shape.effect.options : 'failure' in shape ? shape.failure.options : [''];
    return effects.map((effect: string) => [shape.kind.value, effect] as const);
  }),
)('fault %s %s is in the table', (kind, effect) => {
  expect(page).toContain(`"kind":"${kind}"`);
  if (effect) expect(page).toContain(`"${effect}"`);
});
