import { Writable } from 'node:stream';
import { createLogger, type Logger } from '@srr-gateway/common/log';

/** A log whose lines a test can read as JSON. */
export function capturedLog(): { log: Logger; lines(): Record<string, unknown>[]; text(): string } {
  let written = '';
  const destination = new Writable({
    write(line, _encoding, done) {
      written += line;
      done();
    },
  });
  return {
    log: createLogger({ level: 'trace', name: 'test', destination }),
    lines: () =>
      written
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    text: () => written,
  };
}
