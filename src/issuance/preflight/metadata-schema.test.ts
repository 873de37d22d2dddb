import { describe, expect, it } from 'vitest';
import { schemaErrors } from './metadata-schema.ts';

const withBadChips = (count: number) => ({ chipUIDs: Array.from({ length: count }, () => 1) });
const badChips = (count: number) =>
  schemaErrors(withBadChips(count), '2.2', 'vendor').filter(({ instancePath }) =>
    instancePath.startsWith('/chipUIDs/'),
  ).length;

describe('what a document breaks of its schema', () => {
  it('is told whole', () => {
    expect(badChips(9_000)).toBe(9_000);
  });

  it('is told once of a document so large that the findings alone would fill the memory', () => {
    expect(schemaErrors(withBadChips(1_000_000), '2.2', 'vendor')).toHaveLength(1);
  });
});
