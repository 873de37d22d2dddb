import type { OnMessages } from '@srr-gateway/common/channel';
import { sleep } from '@srr-gateway/common/time';
import { expect, it } from 'vitest';
import { Signals } from './signals.ts';

/** Signals whose messages to other processes are kept in `sent`. */
async function collected() {
  const sent: string[][] = [];
  const signals = new Signals();
  await signals.connect(async () => ({
    send: async (names) => void sent.push([...names]),
    close: async () => {},
  }));
  return { signals, sent };
}

it('the signals of one transaction are sent at once in one message', async () => {
  const { signals, sent } = await collected();
  signals.committed(new Set(['events:a', 'due:issuance']));
  expect(sent).toEqual([['events:a', 'due:issuance']]);
  await signals.close();
});

it('the signals of the following milliseconds are sent in one message, without duplicates', async () => {
  const { signals, sent } = await collected();
  for (let i = 0; i < 1_000; i++) signals.committed(new Set([`events:${i % 3}`]));
  await signals.close();
  expect(sent.map((names) => names.toSorted())).toEqual([['events:0'], ['events:0', 'events:1', 'events:2']]);
});

it('a message on the channel that is not a signal is ignored', async () => {
  const signals = new Signals();
  const opened = Promise.withResolvers<OnMessages>();
  await signals.connect(async (onMessages) => {
    opened.resolve(onMessages);
    return { send: async () => {}, close: async () => {} };
  });
  let woken = 0;
  signals.on('events', 'a', () => woken++);
  (await opened.promise)(['error', '', 'newListener', 'events:b', 'events:a']);
  expect(woken).toBe(1);
});

it('a channel that hangs does not delay waiters in this process, and its queue stays small', async () => {
  const signals = new Signals();
  const answer = Promise.withResolvers<void>();
  const sent: number[] = [];
  await signals.connect(async () => ({
    send: (names) => {
      sent.push(names.length);
      return answer.promise;
    },
    close: async () => {},
  }));
  let woken = 0;
  signals.on('events', 'a', () => woken++);
  for (let i = 0; i < 100; i++) {
    signals.committed(new Set(['events:a']));
    await sleep(0);
  }
  expect({ woken, sent }).toEqual({ woken: 100, sent: [1] });
  answer.resolve();
  await signals.close();
  expect(sent).toEqual([1, 1]);
});
