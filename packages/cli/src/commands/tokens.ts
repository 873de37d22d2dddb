import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { UsageError } from '../lib/exit-codes.ts';

/**
 * The gateway's own program, run as a process because tokens need the gateway's database. There is no API for tokens
 * on purpose: a stolen one could make others.
 */
const program = fileURLToPath(new URL('../../../../src/commands/tokens.ts', import.meta.url));
/** The folder in which `npm start` runs the gateway: its relative paths must resolve the same way. */
const cwd = fileURLToPath(new URL('../../../../', import.meta.url));

export const tokensCommand = new Command('tokens')
  .summary('make, list and revoke tokens, where the gateway runs')
  .description('Makes, lists and revokes tokens. Works on the database of the gateway, on its machine.')
  .argument('[arguments...]', 'see srr tokens --help')
  .allowUnknownOption()
  .helpOption(false)
  .action(async (parameters: string[]) => {
    if (!existsSync(program))
      throw new UsageError(
        'srr tokens works on the database of a gateway: run it in the folder of the gateway, with its variables.',
      );
    const child = spawn(process.execPath, [program, ...parameters], { cwd, stdio: 'inherit' });
    const [code] = await once(child, 'close');
    process.exitCode = typeof code === 'number' ? code : 1;
  });
