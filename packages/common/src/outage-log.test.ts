import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { expect, it } from 'vitest';
import type { Logger } from './log.ts';
import { OutageLog } from './outage-log.ts';

it('logs each kind of fault of an outage once, and its end', async () => {
  const out = new PassThrough();
  const outage = new OutageLog(pino({ level: 'info' }, out) as unknown as Logger, 'the work waits');
  const fault = (code: string, message: string) => Object.assign(new Error(message), { code });
  outage.succeeded();
  outage.failed(fault('ECONNREFUSED', 'port 1'));
  outage.failed(fault('ECONNREFUSED', 'port 2'));
  outage.failed(fault('28P01', 'the password is wrong'));
  outage.failed(fault('ECONNREFUSED', 'port 3'));
  outage.succeeded();
  outage.failed(fault('ECONNREFUSED', 'port 4'));
  out.end();
  const lines = (await text(out))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ msg, err }) => [msg, err?.message])).toEqual([
    ['the work waits', 'port 1'],
    ['the work waits', 'the password is wrong'],
    ['it works again', undefined],
    ['the work waits', 'port 4'],
  ]);
});
