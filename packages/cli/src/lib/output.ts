/**
 * Escapes control characters, line breaks and changes of direction as JSON does. Otherwise the title of a record could
 * clear the screen, or look like another field.
 */
const escapeLines = (lines: readonly string[]): string =>
  lines.map((line) => `${line.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, escapeCharacter)}\n`).join('');

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes to stdout and waits for the flush, so that a slow reader slows the command down. */
const write = (text: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(text, () => resolve()));

export const print = (...lines: string[]): Promise<void> => write(escapeLines(lines));

/** Prints a value as one line of JSON. */
export const printJson = (value: unknown): Promise<void> => print(JSON.stringify(value));

/** Prints a text of several lines. Only a terminal gets it escaped; files and pipes get it as it is. */
export const printFile = (text: string): Promise<void> =>
  process.stdout.isTTY ? print(...text.trimEnd().split('\n')) : write(text);

/** Writes messages for people to stderr, above the progress bar. */
export function say(...lines: string[]): void {
  bar.clear();
  process.stderr.write(escapeLines(lines));
  bar.draw();
}

/** Aligns names and values in two columns, and omits names without a value. */
export function fields(rows: readonly (readonly [name: string, value: unknown])[]): string[] {
  const present = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** The progress of the parts of a job: a bar on a terminal, elsewhere a line for each tenth of a part. */
export interface Progress {
  set(part: string, done: number): void;
  end(): void;
}

export function progress(totals: Readonly<Record<string, number>>): Progress {
  const done = new Map(Object.keys(totals).map((part) => [part, 0]));
  const textOf = (part: string) => `${part} ${done.get(part)}/${totals[part]}`;
  const summary = () => [...done.keys()].map(textOf).join(', ');
  if (process.stderr.isTTY && process.env.TERM !== 'dumb') {
    const all = Object.values(totals).reduce((sum, total) => sum + total, 0);
    bar.show((width) => {
      const now = [...done.values()].reduce((sum, count) => sum + count, 0);
      const filled = all === 0 ? barWidth : Math.min(barWidth, Math.round((barWidth * now) / all));
      const line = `[${'='.repeat(filled).padEnd(barWidth)}] ${summary()}`;
      return line.length > width ? summary() : line;
    });
    return {
      set(part, now) {
        done.set(part, now);
        bar.draw();
      },
      end() {
        bar.hide();
        process.stderr.write(`${summary()}\n`);
      },
    };
  }
  const tenth = (part: string) => Math.floor((10 * (done.get(part) ?? 0)) / (totals[part] || 1));
  return {
    set(part, now) {
      const before = tenth(part);
      done.set(part, now);
      if (tenth(part) > before) process.stderr.write(`${textOf(part)}\n`);
    },
    end() {},
  };
}

const barWidth = 24;

/** The progress bar, on the last line of the terminal. */
const bar = {
  line: undefined as ((width: number) => string) | undefined,
  show(line: (width: number) => string) {
    bar.line = line;
    bar.draw();
  },
  draw() {
    // Only the current line can be cleared, so the bar must not wrap.
    const width = (process.stderr.columns || 80) - 1;
    if (bar.line) process.stderr.write(`\r\x1b[2K${bar.line(width).slice(0, width)}`);
  },
  clear() {
    if (bar.line) process.stderr.write('\r\x1b[2K');
  },
  hide() {
    bar.clear();
    bar.line = undefined;
  },
};
