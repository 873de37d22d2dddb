import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { closedPort } from '../_util/http-server.ts';
import { startSrr } from '../_util/srr.ts';

it.runIf(process.platform === 'linux')('says that the disk of its output is full', async () => {
  const full = openSync('/dev/full', 'w');
  const command = startSrr(['completion', 'bash'], { stdout: full });
  closeSync(full);
  const { code, err } = await command.ended;
  expect({ code, err }).toEqual({ code: 1, err: 'srr: The output cannot be written (ENOSPC).\n' });
});

it('goes on when nobody reads its progress any more', async () => {
  const nobody = await closedPort();
  const command = startSrr(['get', '1', '--url', nobody, '--retry-for', '1']);
  command.child.stderr?.destroy();
  // It waits for the gateway as long as it was told to, and its exit code says what was wrong.
  expect(await command.ended).toMatchObject({ code: 3 });
});
