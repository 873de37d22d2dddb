import { Argument, Command } from 'commander';
import { eventTypes } from '../generated/events.ts';
import { printFile } from '../lib/output.ts';

/** The command that prints completion scripts for this program. */
export const completionCommand = (program: Command): Command =>
  new Command('completion')
    .summary('print a completion script')
    .description('Prints a script that completes commands, options and event types at the Tab key.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh']))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(srr completion bash)      (bash: in ~/.bashrc)
  $ source <(srr completion zsh)       (zsh: in ~/.zshrc, after compinit)`,
    )
    .action((shell: string) => printFile(shell === 'bash' ? bash(program) : zsh(program)));

interface Words {
  /** The commands before the word, such as `events tail`. */
  path: string;
  words: string[];
}

/** What can follow each command. */
function wordsOf(command: Command, path: string[] = []): Words[] {
  const globals = path.length === 0 ? [] : rootOf(command).options;
  const options = [...command.options, ...globals].flatMap(({ long }) => long ?? []);
  // Not its `choices`, which would be case-sensitive.
  const events = command.name() === 'trigger' ? eventTypes : [];
  const values = [...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []), ...events];
  const own = {
    path: path.join(' '),
    words: [...command.commands.map((one) => one.name()), ...values, ...new Set(options), '--help'],
  };
  return [own, ...command.commands.flatMap((one) => wordsOf(one, [...path, one.name()]))];
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** The options whose value is a path. */
const pathOptions = '--files|--report|--token-file';

const cases = (program: Command) =>
  wordsOf(program)
    .map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`)
    .join('\n');

const commandNames = (program: Command) =>
  wordsOf(program)
    .map(({ path }) => path)
    .filter((path) => path !== '')
    .map((path) => `'${path}'`)
    .join('|');

/** Shared by both shells: finds the candidates, from `line` (the words before) and `prev`. */
const body = (program: Command) => `  local path= word candidate words=
  for word in "\${line[@]}"; do
    candidate="\${path:+$path }$word"
    case "$candidate" in
    ${commandNames(program)}) path="$candidate" ;;
    esac
  done
  case "$path" in
${cases(program)}
  esac
  case "$prev" in
    --events) words='${eventTypes.join(' ')}' ;;
    --format) words='jsonl csv' ;;
    --from) words='NOW BEGINNING' ;;
    --status) words='PENDING DELIVERED FAILED' ;;
  esac`;

const bash = (program: Command) => `# bash completion of srr: source <(srr completion bash)
_srr() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local line=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${body(program)}
  COMPREPLY=()
  case "$prev" in
    ${pathOptions}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  # The manifest.
  if [[ $path == issue && $cur != -* ]]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _srr srr
`;

const zsh = (program: Command) => `#compdef srr
# zsh completion of srr: source <(srr completion zsh)
_srr() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}"
  local -a line
  line=("\${(@)words[2,CURRENT-1]}")
  _srr_words "$prev" "\${line[@]}"
  case "$prev" in
    ${pathOptions}) _files; return ;;
  esac
  compadd -- \${=REPLY}
  if [[ $REPLY_PATH == issue && $cur != -* ]]; then _files; fi
}
_srr_words() {
  local prev="$1"
  local -a line
  line=("\${(@)argv[2,-1]}")
${body(program)}
  REPLY="$words" REPLY_PATH="$path"
}
compdef _srr srr
`;
