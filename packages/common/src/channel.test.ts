import { beforeEach, describe, expect, it } from 'vitest';
import { type Link, ReconnectingChannel } from './channel.ts';
import { createLogger } from './log.ts';

/** A connection whose end and whose failures the test chooses. */
class TestLink implements Link {
  readonly sent: string[] = [];
  isClosed = false;
  failure: Error | undefined;
  readonly #end = Promise.withResolvers<unknown>();
  readonly ended = this.#end.promise;

  end(error?: Error): void {
    this.#end.resolve(error);
  }

  async send(messages: readonly string[]): Promise<void> {
    if (this.failure) throw this.failure;
    this.sent.push(...messages);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end();
    if (this.failure) throw this.failure;
  }
}

let lines: string[];
let opened: TestLink[];
let received: unknown[];
beforeEach(() => {
  [lines, opened, received] = [[], [], []];
});

function channelOver(first: TestLink | undefined, open?: () => Promise<Link>): ReconnectingChannel {
  const log = createLogger({
    level: 'info',
    name: 'test',
    destination: { write: (line) => void lines.push(line) },
  });
  const next = async () => {
    const link = new TestLink();
    opened.push(link);
    return link;
  };
  const onMessages = (messages?: readonly string[]) => void received.push(messages);
  return new ReconnectingChannel({ open: open ?? next, onMessages, log, lost: 'it is lost' }, first);
}

const withPassword = (message: string) => Object.assign(new Error(message), { command: 'AUTH hunter2' });

describe('a channel whose connection breaks', () => {
  it('opens another, says that messages may be missing, and logs no command of the driver', async () => {
    const first = new TestLink();
    const channel = channelOver(first);
    first.end(withPassword('broken pipe'));
    await first.ended;
    // Nobody would get this message.
    await channel.send(['lost']);
    await expect.poll(() => received).toEqual([undefined]);
    await channel.send(['a']);
    expect([first.sent, opened[0]?.sent]).toEqual([[], ['a']]);
    expect(lines.join('')).toContain('broken pipe');
    expect(lines.join('')).not.toContain('hunter2');
    await channel.close();
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true]);
    await new Promise(setImmediate);
    expect(lines.join('').match(/"msg":"it is lost"/g), 'the end at a stop is no outage').toHaveLength(1);
  });

  it('replaces a connection that cannot send, even if it cannot be closed', async () => {
    const first = new TestLink();
    const channel = channelOver(first);
    first.failure = withPassword('no answer');
    await channel.send(['lost']);
    expect(first.isClosed).toBe(true);
    await expect.poll(() => opened).toHaveLength(1);
    await channel.close();
  });
});

it('pauses longer before each attempt while connections end at once', async () => {
  const startedAt = performance.now();
  const channel = channelOver(undefined, async () => {
    const link = new TestLink();
    opened.push(link);
    link.end();
    return link;
  });
  await expect.poll(() => opened.length, { interval: 5 }).toBeGreaterThanOrEqual(4);
  // The pauses are at least 100, 200 and 400 ms; without a longer one they are at most 600 ms together.
  expect(performance.now() - startedAt).toBeGreaterThan(650);
  await channel.close();
});

it('a connection that opens after the channel was closed is closed, too', async () => {
  const opening = Promise.withResolvers<Link>();
  const late = new TestLink();
  const channel = channelOver(undefined, () => opening.promise);
  await channel.close();
  opening.resolve(late);
  await expect.poll(() => late.isClosed).toBe(true);
  expect(lines.join('')).not.toContain('it is lost');
});
