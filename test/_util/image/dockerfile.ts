/** The effect of a step on the files of its stage, or on how later steps and the program run. */
export type Step =
  | { kind: 'WORKDIR'; path: string }
  | { kind: 'ENV'; variables: Record<string, string> }
  | { kind: 'RUN'; command: string[] }
  | { kind: 'COPY'; from: string | undefined; sources: string[]; to: string }
  | { kind: 'USER'; name: string }
  | { kind: 'VOLUME'; path: string }
  | { kind: 'EXPOSE'; port: number }
  | { kind: 'STOPSIGNAL'; signal: NodeJS.Signals }
  | { kind: 'HEALTHCHECK'; options: Record<string, string>; command: string[] }
  | { kind: 'CMD'; command: string[] };

export interface Stage {
  /** An image, or the name of an earlier stage. */
  base: string;
  name: string | undefined;
  steps: Step[];
}

/** The stages of a Dockerfile. @throws on each form that is not fully supported; it skips nothing. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of instructions(text)) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    try {
      if (word === 'FROM') stages.push(stageOf(rest));
      else {
        const stage = stages.at(-1);
        if (!stage) throw new Error('it stands before the first FROM');
        stage.steps.push(stepOf(word, rest));
      }
    } catch (cause) {
      throw new Error(`The test cannot build this line of the Dockerfile: ${line}`, { cause });
    }
  }
  return stages;
}

/** The instructions without comments, and with continued lines joined. */
const instructions = (text: string): string[] =>
  text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function stageOf(rest: string): Stage {
  const [, base, name] = /^([\w:.@-]+)(?: AS ([\w-]+))?$/.exec(rest) ?? [];
  if (base === undefined) throw new Error('FROM is followed by an image, and perhaps by AS and a name');
  return { base, name, steps: [] };
}

function stepOf(word: string, rest: string): Step {
  switch (word) {
    case 'WORKDIR':
      return { kind: 'WORKDIR', path: plain(rest) };
    case 'ENV':
      return { kind: 'ENV', variables: assignments(plain(rest).split(/\s+/)) };
    case 'RUN':
      return { kind: 'RUN', command: commandOf(rest) };
    case 'COPY': {
      const words = plain(rest).split(/\s+/);
      const [, from] = /^--from=([\w-]+)$/.exec(words[0] ?? '') ?? [];
      const [to, ...sources] = (from === undefined ? words : words.slice(1)).toReversed();
      if (to === undefined || sources.length === 0 || [to, ...sources].some((one) => /^--|[*?[]/.test(one)))
        throw new Error('COPY takes --from, plain names and a target here, no pattern and no other option');
      return { kind: 'COPY', from, sources: sources.toReversed(), to };
    }
    case 'USER':
      return { kind: 'USER', name: plain(rest) };
    case 'VOLUME':
      return { kind: 'VOLUME', path: plain(rest) };
    case 'EXPOSE':
      return { kind: 'EXPOSE', port: Number(rest) };
    case 'STOPSIGNAL':
      return { kind: 'STOPSIGNAL', signal: plain(rest) as NodeJS.Signals };
    case 'HEALTHCHECK': {
      const [, options = '', command] = /^((?:--\S+\s+)*)CMD\s+(.*)$/.exec(rest) ?? [];
      if (command === undefined) throw new Error('HEALTHCHECK has options and a CMD');
      const words = options.trim().split(/\s+/);
      return { kind: 'HEALTHCHECK', options: assignments(words), command: commandOf(command) };
    }
    case 'CMD':
      return { kind: 'CMD', command: commandOf(rest) };
    default:
      throw new Error(`${word} is an instruction that it does not know`);
  }
}

/** The exec form is the program itself; any other text is run by a shell. */
const commandOf = (rest: string): string[] =>
  rest.startsWith('[') ? (JSON.parse(rest) as string[]) : ['/bin/sh', '-c', rest];

/** Refuses text that a container engine would expand, unquote or continue. */
function plain(text: string): string {
  if (/[$"'[\\]|<</.test(text)) throw new Error('it has a variable, a quote, a list or a here-document');
  return text;
}

function assignments(words: string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^(?:--)?([\w-]+)=(.*)$/.exec(word) ?? [];
      if (name === undefined || value === undefined) throw new Error(`${word} is no NAME=value`);
      return [name, value];
    }),
  );
}
