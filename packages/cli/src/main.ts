import { GatewayError } from '@srr-gateway/client';
import { type Command, CommanderError } from 'commander';
import { exitCodeOf, exitCodes, FailedError, InterruptedError, UsageError } from './lib/exit-codes.ts';
import { inputName } from './lib/input-name.ts';
import { say } from './lib/output.ts';
import { interrupt, interruption } from './lib/session.ts';
import { createProgram } from './program.ts';

// Hides a token on the command line from process lists.
process.title = 'srr';

process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
// With `srr export | head` the reader is gone, which is not a failure. A failed command sets its code before it
// prints.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  fail(new FailedError(`The output cannot be written (${code}).`));
  process.exit();
});
// Work continues even if nobody reads its progress: `srr issue records.csv 2>&1 | head`.
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
// A subscription or a pool could keep the process alive for seconds.
process.exit();

function usage({ code, message, exitCode }: CommanderError): void {
  process.exitCode = exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  // Help was printed; of errors there is only the message.
  if (exitCode === 0 || code === 'commander.help') return;
  const fault = message.replace(/^error: /, '');
  if (forPrograms) sayJson('ERROR', fault);
  else say(...`srr: ${fault}`.split('\n'), `See: ${nameOf(givenCommand())} --help`);
}

/** The command that the arguments name. */
function givenCommand(): Command {
  let command: Command = program;
  for (const one of process.argv.slice(2))
    command = command.commands.find((sub) => sub.name() === one) ?? command;
  return command;
}

/** A command as it is typed, such as `srr events tail`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function fail(error: unknown): void {
  process.exitCode = exitCodeOf(error);
  if (forPrograms) {
    const { code = 'ERROR', message } = error as { code?: string; message: string };
    sayJson(code, error instanceof GatewayError ? messageOf(error) : message);
  } else say(...linesOf(error));
}

function sayJson(code: string, message: string): void {
  say(JSON.stringify({ error: { code, message } }));
}

function messageOf(error: GatewayError): string {
  const input = inputName(givenCommand(), error);
  return input ? `${input}: ${error.message}` : error.message;
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof GatewayError) {
    const lines = error.all.map((one) => `srr: ${messageOf(one)} (${one.code})`);
    return error.requestId ? [...lines.slice(0, -1), `${lines.at(-1)} [request ${error.requestId}]`] : lines;
  }
  if (error instanceof UsageError && error.faults.length > 1) return error.faults;
  const foreseen =
    error instanceof UsageError || error instanceof FailedError || error instanceof InterruptedError;
  return foreseen ? [`srr: ${error.message}`] : `srr: ${(error as Error).stack ?? error}`.split('\n');
}
