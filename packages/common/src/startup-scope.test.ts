import { expect, it } from 'vitest';
import { startupScope } from './startup-scope.ts';

it('a start that fails stops what it has started, and says why, whatever the stops do', async () => {
  const stopped: string[] = [];
  const start = startupScope(async (running) => {
    for (const part of ['database', 'server'])
      running.defer(async () => {
        await new Promise(setImmediate);
        stopped.push(part);
        throw new Error(`${part} cannot stop`);
      });
    throw new Error('the port is in use');
  });
  await expect(start).rejects.toThrow('the port is in use');
  expect(stopped).toEqual(['server', 'database']);
});
