import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync, rmSync } from 'node:fs';

/**
 * Loaded into a gateway by `--import`: ends the process with SIGKILL at the checkpoint that the file of
 * DIE_FILE names (`<name>`), or at the n-th of any (`#<n>`). The file goes first, so that the next start lives.
 */
const file = process.env.DIE_FILE;
if (!file) throw new Error('DIE_FILE must name the file with the checkpoint');

let passed = 0;
subscribe('srr-gateway:issuance', (message) => {
  passed += 1;
  if (!existsSync(file)) return;
  const wanted = readFileSync(file, 'utf8');
  const { name } = message as { name: string };
  if (wanted !== name && wanted !== `#${passed}`) return;
  rmSync(file);
  process.kill(process.pid, 'SIGKILL');
  // Nothing more of this program may run, however late the signal comes.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
