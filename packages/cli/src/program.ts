import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { completionCommand } from './commands/completion.ts';
import { endpointsCommand } from './commands/endpoints.ts';
import { eventsCommand } from './commands/events.ts';
import { exportCommand } from './commands/export.ts';
import { getCommand } from './commands/get.ts';
import { issueCommand } from './commands/issue.ts';
import { listenCommand } from './commands/listen.ts';
import { statusCommand } from './commands/status.ts';
import { tokensCommand } from './commands/tokens.ts';
import { triggerCommand } from './commands/trigger.ts';
import { defaultUrl } from './lib/settings.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The whole command line. */
export function createProgram(): Command {
  const program = new Command('srr')
    .description('The command line of srr-gateway: issue records, read them, and follow their events.')
    .version(version)
    .option('--url <address>', `the GraphQL endpoint (default: SRR_URL, or ${defaultUrl})`)
    .option('--token <token>', 'the bearer token; prefer SRR_TOKEN, because others may see arguments')
    .option('--token-file <file>', 'a file of mode 600 that holds the token (default: SRR_TOKEN_FILE)')
    .option('--retry-for <seconds>', 'how long to retry while the gateway is unreachable')
    .option('--json', 'print JSON; packages/cli/README.md describes it')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      `
Examples:
  $ export SRR_TOKEN=demo-token        (the token of the sandbox)
  $ srr issue records.csv --dry-run
  $ srr issue records.csv
  $ srr listen --forward-to http://localhost:3000/hook
  $ srr get 128261667842               (a record of the sandbox)

Exit codes: 0 done; 1 something failed or was not found; 2 wrong arguments, settings or files;
3 the gateway cannot be reached; 4 the gateway refused the call; 130 interrupted.`,
    );
  for (const command of [
    issueCommand,
    statusCommand,
    getCommand,
    exportCommand,
    eventsCommand,
    listenCommand,
    triggerCommand,
    endpointsCommand,
    tokensCommand,
  ])
    program.addCommand(command);
  program.addCommand(completionCommand(program));
  return configured(program);
}

/** Makes every command throw its errors, so that only main.ts formats them. */
function configured(command: Command): Command {
  command.exitOverride().configureHelp({ showGlobalOptions: true });
  command.configureOutput({ outputError: () => {} });
  // Commander wraps help to the width of the terminal, so join the lines of the source first.
  command.description(command.description().replaceAll(/([^\n])\n(?=[^\n])/g, '$1 '));
  for (const one of command.commands) configured(one);
  return command;
}
