import { GatewayError } from '@srr-gateway/client';
import { type Command, CommanderError } from 'commander';
import { exitCodeOf, exitCodes, FailedError, InterruptedError, UsageError } from './lib/exit-codes.ts';
import { inputName } from './lib/input-name.ts';
import { say } from './lib/output.ts';
import { interrupt, interruption } from './lib/session.ts';
import { createProgram } from './program.ts';

// Hides the arguments, and with them a `--token`, from the list of processes.
process.title = 'srr';

process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
// `srr export | head` closes stdout early, which is no failure. A command that failed has set its exit code by then.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  fail(new FailedError(`The output cannot be written (${code}).`));
  process.exit();
});
// A closed stderr must not stop the work: `srr issue records.csv 2>&1 | head`.
process.stderr.on('error', () => {});

// Commander throws errors in the arguments before it has parsed the options, so look for the flag itself.
const asJson = process.argv.includes('--json');

const program = createProgram();
try {
  await program.parseAsync();
} catch (thrown) {
  const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
  if (error instanceof CommanderError) usage(error);
  else fail(error);
}
// An open subscription or connection pool would keep the process alive for seconds.
process.exit();

function usage({ code, message, exitCode }: CommanderError): void {
  process.exitCode = exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  // Commander has printed the help, but leaves errors to us.
  if (exitCode === 0 || code === 'commander.help') return;
  const fault = message.replace(/^error: /, '');
  if (asJson) printErrorJson('ERROR', fault);
  else say(...`srr: ${fault}`.split('\n'), `See: ${nameOf(invokedCommand())} --help`);
}

/** The command that the arguments name. */
function invokedCommand(): Command {
  let command: Command = program;
  for (const one of process.argv.slice(2))
    command = command.commands.find((sub) => sub.name() === one) ?? command;
  return command;
}

/** The command as a user types it, such as `srr events tail`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function fail(error: unknown): void {
  process.exitCode = exitCodeOf(error);
  if (asJson) {
    const { code = 'ERROR', message } = error as { code?: string; message: string };
    printErrorJson(code, error instanceof GatewayError ? messageOf(error) : message);
  } else say(...linesOf(error));
}

function printErrorJson(code: string, message: string): void {
  say(JSON.stringify({ error: { code, message } }));
}

function messageOf(error: GatewayError): string {
  const input = inputName(invokedCommand(), error);
  return input ? `${input}: ${error.message}` : error.message;
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof GatewayError) {
    const lines = error.all.map((one) => `srr: ${messageOf(one)} (${one.code})`);
    return error.requestId ? [...lines.slice(0, -1), `${lines.at(-1)} [request ${error.requestId}]`] : lines;
  }
  if (error instanceof UsageError && error.faults.length > 1) return error.faults;
  const expected =
    error instanceof UsageError || error instanceof FailedError || error instanceof InterruptedError;
  return expected ? [`srr: ${error.message}`] : `srr: ${(error as Error).stack ?? error}`.split('\n');
}
