/**
 * Makes untrusted text safe for a terminal: a title could clear the screen, or look like another field. Escapes
 * control characters, line breaks and direction marks as in JSON.
 */
const safe = (lines: readonly string[]): string =>
  lines.map((line) => `${line.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, escaped)}\n`).join('');

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes to stdout, and waits for its reader, so that a slow reader slows the command down. */
const write = (text: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(text, () => resolve()));

export const print = (...lines: string[]): Promise<void> => write(safe(lines));

/** One value as one line for programs. */
export const printJson = (value: unknown): Promise<void> => print(JSON.stringify(value));

/** Prints a text of several lines for programs, unescaped. */
export const printFile = (text: string): Promise<void> =>
  process.stdout.isTTY ? print(...text.trimEnd().split('\n')) : write(text);

/** Prints messages for people on stderr, above a progress bar. */
export function say(...lines: string[]): void {
  bar.clear();
  process.stderr.write(safe(lines));
  bar.draw();
}

/** Names and values under each other; those without a value are left out. */
export function fields(rows: readonly (readonly [name: string, value: unknown])[]): string[] {
  const nonEmpty = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...nonEmpty.map(([name]) => name.length));
  return nonEmpty.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** The progress of a job's parts: a bar on a terminal; elsewhere a line at each tenth of a part. */
export interface Progress {
  set(part: string, done: number): void;
  end(): void;
}

export function progress(totals: Readonly<Record<string, number>>): Progress {
  const done = new Map(Object.keys(totals).map((part) => [part, 0]));
  const textOf = (part: string) => `${part} ${done.get(part)}/${totals[part]}`;
  const whole = () => [...done.keys()].map(textOf).join(', ');
  if (process.stderr.isTTY && process.env.TERM !== 'dumb') {
    const all = Object.values(totals).reduce((sum, total) => sum + total, 0);
    bar.show(() => {
      const now = [...done.values()].reduce((sum, count) => sum + count, 0);
      const filled = all === 0 ? barWidth : Math.min(barWidth, Math.round((barWidth * now) / all));
      return `[${'='.repeat(filled).padEnd(barWidth)}] ${whole()}`;
    });
    return {
      set(part, now) {
        done.set(part, now);
        bar.draw();
      },
      end() {
        bar.hide();
        process.stderr.write(`${whole()}\n`);
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

/** The one line at the bottom of a terminal. */
const bar = {
  line: undefined as (() => string) | undefined,
  show(line: () => string) {
    bar.line = line;
    bar.draw();
  },
  draw() {
    // Only the last line can be cleared, so the bar must not go on to another.
    const width = (process.stderr.columns || 80) - 1;
    if (bar.line) process.stderr.write(`\r\x1b[2K${bar.line().slice(0, width)}`);
  },
  clear() {
    if (bar.line) process.stderr.write('\r\x1b[2K');
  },
  hide() {
    bar.clear();
    bar.line = undefined;
  },
};
