import { describe, expect, it } from 'vitest';
import { schemaErrors } from './metadata-schema.ts';

const withBadChips = (count: number) => ({ chipUIDs: Array.from({ length: count }, () => 1) });
const badChips = (count: number) =>
  schemaErrors(withBadChips(count), '2.2', 'vendor').filter(({ instancePath }) =>
    instancePath.startsWith('/chipUIDs/'),
  ).length;

describe('the schema errors of a document', () => {
  it('are all reported', () => {
    expect(badChips(9_000)).toBe(9_000);
  });

  it('are reported as one error for a document so large that a list of them would fill the memory', () => {
    expect(schemaErrors(withBadChips(1_000_000), '2.2', 'vendor')).toHaveLength(1);
  });
});
