import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { anonymous } from '../access/caller.ts';
import { schema } from '../graphql/schema/schema.ts';
import { loadOperations } from '../operations/operations.ts';
import { createProtocol } from './protocol.ts';
import { createTools } from './tools.ts';

it('an unexpected error is shown by its id only, and logged', async () => {
  const { log, lines } = capturedLog();
  const answer = createProtocol({
    identity: { name: 'test', title: 'Test', version: '1' },
    tools: createTools(loadOperations(schema), schema),
    resources: [],
    schema,
    run: () => Promise.reject(new Error('the inside')),
    maxBodyBytes: 10_000,
    log,
  });
  const request = new Request('http://gateway/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_records', arguments: {} },
    }),
  });
  const req = { headers: {} } as IncomingMessage;
  const source = { headers: {}, credentials: { kind: 'nothing' }, req } as const;
  const response = await answer(request, { caller: anonymous, source, signal: new AbortController().signal });
  const text = await response.text();
  expect(text).not.toContain('the inside');
  const [logged] = lines().filter(({ msg }) => msg === 'a resolver failed');
  expect(JSON.stringify(logged)).toContain('the inside');
  expect(text).toContain(`"errorId":"${logged?.requestId}"`);
  expect(text).toContain('"isError":true');
});
