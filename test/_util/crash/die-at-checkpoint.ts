import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Loaded into a gateway by `--import`: ends the process with SIGKILL at the checkpoint that the file of
 * DIE_FILE names (`<name>`), or at the n-th that it passes since the order was given (`#<n>`). The order goes
 * first, so that the next start lives, and of several replicas one dies; `<file>.done` says at which. With
 * DIE_SIGNAL=SIGSTOP the process only stops there, and goes on from there at a SIGCONT.
 */
const { DIE_FILE: file, DIE_SIGNAL: signal = 'SIGKILL' } = process.env;
if (!file) throw new Error('DIE_FILE must name the file with the checkpoint');

let passed = 0;
subscribe('srr-gateway:issuance', (message) => {
  if (!existsSync(file)) {
    passed = 0;
    return;
  }
  passed += 1;
  const { name } = message as { name: string };
  try {
    const wanted = readFileSync(file, 'utf8');
    if (wanted !== name && wanted !== `#${passed}`) return;
    renameSync(file, `${file}.taken`);
  } catch {
    return; // another replica was first
  }
  writeFileSync(`${file}.done`, name);
  process.kill(process.pid, signal);
  if (signal === 'SIGSTOP') return;
  // Nothing more of this program may run, however late the signal comes.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
