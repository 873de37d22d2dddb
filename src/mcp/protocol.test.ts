import type { IncomingMessage } from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { expect, it } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { anonymous } from '../access/caller.ts';
import { schema } from '../graphql/schema/schema.ts';
import { loadOperations, type RunOperation } from '../operations/operations.ts';
import { createProtocol } from './protocol.ts';
import { createTools } from './tools.ts';

const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_records', arguments: {} },
});

/** Calls a tool whose operation ends so. Returns the text of the answer. */
async function answerTo(
  run: RunOperation,
  log: Logger,
  signal = new AbortController().signal,
): Promise<string> {
  const answer = createProtocol({
    identity: { name: 'test', title: 'Test', version: '1' },
    tools: createTools(loadOperations(schema), schema),
    resources: [],
    schema,
    run,
    maxBodyBytes: 10_000,
    log,
  });
  const request = new Request('http://gateway/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: call,
  });
  const req = { headers: {} } as IncomingMessage;
  const source = { headers: {}, credentials: { kind: 'nothing' }, req } as const;
  return await (await answer(request, { caller: anonymous, source, signal })).text();
}

it('an unexpected error is shown by its id only, and logged', async () => {
  const { log, lines } = capturedLog();
  const text = await answerTo(() => Promise.reject(new Error('the inside')), log);
  expect(text).not.toContain('the inside');
  const [logged] = lines().filter(({ msg }) => msg === 'a resolver failed');
  expect(JSON.stringify(logged)).toContain('the inside');
  expect(text).toContain(`"errorId":"${logged?.requestId}"`);
  expect(text).toContain('"isError":true');
});

it('a caller who leaves is not logged as a failure', async () => {
  const { log, lines } = capturedLog();
  const left = new AbortController();
  const run: RunOperation = async () => {
    left.abort();
    return left.signal.throwIfAborted() as never;
  };
  await answerTo(run, log, left.signal);
  expect(lines()).toEqual([]);
});
