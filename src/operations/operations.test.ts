import type { IncomingMessage } from 'node:http';
import { parse, validate, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../graphql/schema/schema.ts';
import { loadOperations, operationsRunner } from './operations.ts';

const operations = loadOperations(schema);

describe('the trusted documents', () => {
  it.each([...operations.values()])('$name is valid by itself', ({ name, text, definition, description }) => {
    expect(validate(schema, parse(text))).toEqual([]);
    expect(definition.name?.value).toBe(name);
    expect(description).toMatch(/^[A-Z].*\.$/s);
  });

  it.each([...operations.values()])(
    '$name selects a cursor for each item, so that a page can be cut',
    (one) => {
      visit(one.document, {
        Field: ({ name, selectionSet }) => {
          const selected = selectionSet?.selections.map((field) => 'name' in field && field.name?.value);
          if (name.value === 'edges') expect(selected).toContain('cursor');
        },
      });
    },
  );

  it('are the only operations that run', async () => {
    const run = operationsRunner(operations, () => Promise.reject(new Error('was prepared')));
    const req = { headers: {} } as IncomingMessage;
    const source = { headers: {}, credentials: { kind: 'nothing' }, req } as const;
    await expect(run(source, 'Other', {})).rejects.toThrow('There is no operation Other.');
    await expect(run(source, 'GetRecord', {})).rejects.toThrow('was prepared');
  });
});
