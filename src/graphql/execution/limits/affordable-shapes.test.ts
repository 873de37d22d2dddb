import fc from 'fast-check';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { AffordableShapes } from './affordable-shapes.ts';
import { operationCost } from './cost.ts';

const document = parse(`
  query A($first: Int, $ids: [TokenId!], $where: SRRFilter, $before: DateTime, $id: ID!, $ref: String) {
    srrs(first: $first, where: { tokenIds: $ids, createdBefore: $before }) { edges { node { tokenId owner } } }
    others: srrs(first: $first, where: $where) { edges { node { provenance(first: $first) { edges { cursor } } } } }
    issuance(id: $id) { id }
    mine: issuance(requestId: $ref) { id }
  }
  query B($before: DateTime) { srrs(where: { createdBefore: $before }) { edges { cursor } } }`);

const tokenId = fc.bigInt({ min: 0n, max: 9_999n }).map(String);
const moment = fc.constantFrom('2024-05-01T00:00:00Z', '2025-01-31T09:00:00+09:00', 'no moment');
const issuanceId = (text: string) => Buffer.from(`Issuance:${text}`).toString('base64');
const filter = fc.record(
  { tokenIds: fc.array(tokenId, { maxLength: 3 }), inRegistry: fc.boolean() },
  { requiredKeys: [] },
);
const variables = fc.record(
  {
    first: fc.constantFrom(1, 2, 50, null),
    ids: fc.option(fc.array(tokenId, { maxLength: 3 })),
    where: fc.oneof(filter, fc.record({ or: fc.array(filter, { maxLength: 2 }) })),
    before: moment,
    id: fc.constantFrom(issuanceId('a'), issuanceId('b'), 'no id'),
    ref: fc.string({ maxLength: 3 }),
  },
  { requiredKeys: ['id'] },
);

const cost = (of: Record<string, unknown>) => {
  try {
    return operationCost(schema, document, 'A', of);
  } catch (error) {
    return (error as Error).message;
  }
};

it('operations of one shape cost the same, or one of them cannot be executed', () => {
  const shapes = new AffordableShapes(schema);
  const first = new Map<string, unknown>();
  let shared = 0;
  fc.assert(
    fc.property(variables, (of) => {
      const found = cost(of);
      // Execution refuses it, whatever it costs.
      if (found === undefined) return;
      const shape = shapes.shapeOf(document, 'A', of);
      if (first.has(shape)) shared++;
      else first.set(shape, found);
      expect(found).toEqual(first.get(shape));
    }),
    { numRuns: 3_000, seed: 7 },
  );
  expect(shared).toBeGreaterThan(100);
  expect(first.size).toBeGreaterThan(100);
});

it('are told apart by their names, and from those of another document with the same text', () => {
  const shapes = new AffordableShapes(schema);
  const of = (name: string, text = document) => shapes.shapeOf(text, name, { before: '2024' });
  expect(new Set([of('A'), of('B'), of('A', { ...document })]).size).toBe(3);
  expect(of('A')).toBe(of('A'));
});
