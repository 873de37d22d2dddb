import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { anonymous } from '../access/caller.ts';
import { schema } from '../graphql/schema/schema.ts';
import { loadOperations } from '../operations/operations.ts';
import { maxResult } from './cut-result.ts';
import { runTool } from './run-tool.ts';
import { createTools, type Tool } from './tools.ts';

const tool = createTools(loadOperations(schema), schema).find(({ name }) => name === 'list_records') as Tool;
const source = {
  headers: {},
  credentials: { kind: 'nothing' },
  req: { headers: {} } as IncomingMessage,
} as const;
const caller = { caller: anonymous, source, signal: new AbortController().signal };

it('an answer of which many parts are missing is no longer than others', async () => {
  const edges = Array.from({ length: 100 }, (_, i) => ({
    cursor: `c${i}`,
    node: { tokenId: 'x'.repeat(350) },
  }));
  const data = { srrs: { edges, pageInfo: { hasNextPage: false, endCursor: 'c99' } } };
  const errors = edges.map(
    (_, i) =>
      new GraphQLError('The subgraph gave no valid answer.', {
        path: ['srrs', 'edges', i, 'node', 'owner'],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
      }),
  );
  const { content, structuredContent } = await runTool(tool, {}, caller, async () => ({
    data,
    errors,
    isPublic: false,
  }));
  expect(content[0]?.text.length).toBeLessThan(maxResult);
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  const { items, missing, nextCursor } = structuredContent as {
    items: [];
    missing: object[];
    nextCursor: string;
  };
  expect(missing).toHaveLength(20);
  expect(items.length).toBeGreaterThan(80);
  expect(nextCursor).toBe(`c${items.length - 1}`);
});
