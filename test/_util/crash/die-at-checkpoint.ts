import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Loaded into a gateway with `--import`. Kills the process with SIGKILL at the checkpoint that is named in
 * the file of DIE_FILE (`<name>`), or at the n-th that it passes after the order (`#<n>`). It renames the
 * order first, so that the next start survives and only one replica dies, and writes the checkpoint to
 * `<file>.done`. With DIE_SIGNAL=SIGSTOP the process only stops, and continues from there after a SIGCONT.
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
  // Blocks the process, so that no more of it runs before the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
