import { GatewayError } from '@srr-gateway/client';
import { type Command, CommanderError } from 'commander';
import { exitCodeOf, exitCodes, FailedError, InterruptedError, UsageError } from './lib/exit-codes.ts';
import { interrupt, interruption } from './lib/session.ts';
import { createProgram } from './program.ts';

// Takes a token on the command line out of what others see when they list processes.
process.title = 'srr';

process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
// `srr export | head`: nobody reads on, which is no failure. A command that has failed sets its code before it prints.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  fail(new FailedError(`The output cannot be written (${code}).`));
  process.exit();
});
// Work goes on when nobody sees its progress: `srr issue records.csv 2>&1 | head`.
process.stderr.on('error', () => {});

// Errors in the arguments are thrown before the options are parsed, so look for the flag itself.
const forPrograms = process.argv.includes('--json');

const program = createProgram();
try {
  await program.parseAsync();
} catch (thrown) {
  const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
  if (error instanceof CommanderError) usage(error);
  else fail(error);
}
// A subscription or a pool may hold the process for seconds.
process.exit();

function usage({ code, message, exitCode }: CommanderError): void {
  process.exitCode = exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  // Help was printed; of errors there is only the message.
  if (exitCode === 0 || code === 'commander.help') return;
  const fault = message.replace(/^error: /, '');
  if (forPrograms) sayJson('ERROR', fault);
  else process.stderr.write(`srr: ${fault}\nSee: ${commandOf(process.argv.slice(2))} --help\n`);
}

/** The command that the arguments name, whose help shows its own arguments and options. */
function commandOf(given: readonly string[]): string {
  let command: Command = program;
  let names = 'srr';
  for (const one of given) {
    const next = command.commands.find((sub) => sub.name() === one);
    if (!next) continue;
    command = next;
    names += ` ${one}`;
  }
  return names;
}

function fail(error: unknown): void {
  process.exitCode = exitCodeOf(error);
  if (forPrograms) {
    const { code = 'ERROR', message } = error as { code?: string; message: string };
    sayJson(code, message);
  } else process.stderr.write(`${textOf(error)}\n`);
}

function sayJson(code: string, message: string): void {
  process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
}

function textOf(error: unknown): string {
  if (error instanceof GatewayError) {
    const request = error.requestId ? ` [request ${error.requestId}]` : '';
    return error.all.map(({ message, code }) => `srr: ${message} (${code})`).join('\n') + request;
  }
  const foreseen =
    error instanceof UsageError || error instanceof FailedError || error instanceof InterruptedError;
  // The faults of a manifest are lines of their own.
  if (foreseen && error.message.includes('\n')) return error.message;
  return foreseen ? `srr: ${error.message}` : `srr: ${(error as Error).stack ?? error}`;
}
