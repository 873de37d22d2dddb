import { createLogger } from '@srr-gateway/common/log';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../model/errors.ts';
import { visibleFault } from './visible-fault.ts';

function visibleAndLogged(failure: unknown) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ level: 'info', name: 'test', destination });
  return { fault: visibleFault(failure, 'request-1', log, 'a route failed'), lines };
}

describe('a failure', () => {
  it('that is a GatewayError is shown as it is, and not logged', () => {
    const { fault, lines } = visibleAndLogged(
      new GatewayError({ code: 'NOT_FOUND', message: 'Nothing is there.' }),
    );
    expect(fault).toEqual({ code: 'NOT_FOUND', message: 'Nothing is there.' });
    expect(lines).toEqual([]);
  });

  it('of an unavailable database is one line in the log, without a stack', () => {
    const { fault, lines } = visibleAndLogged(
      Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    );
    expect(fault.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'a route failed: the database cannot be reached',
        reason: 'connect ECONNREFUSED 127.0.0.1:5432',
        requestId: 'request-1',
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('visible-fault.test');
  });

  it('that is unexpected is shown by its id only, and logged with its stack', () => {
    const { fault, lines } = visibleAndLogged(new TypeError('no such thing'));
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', errorId: 'request-1' });
    expect(JSON.stringify(lines)).toContain('visible-fault.test');
  });
});
