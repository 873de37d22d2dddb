import { closeSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedPort, reply, serve } from '../_util/http-server.ts';
import { srr, startSrr } from '../_util/srr.ts';

/** Clears the screen twice, reverses the direction, and looks like another line. */
const hostile = 'a\x1b[2J\x9b2J\u202eb\nstatus  ISSUED';
const escaped = 'a\\u001b[2J\\u009b2J\\u202eb\\u000astatus  ISSUED';

describe('foreign text that would be a terminal command or another line is escaped:', () => {
  const error = { code: 'MINING_FAILED', message: hostile };
  const issuance = {
    requestId: hostile,
    status: 'COMPLETED',
    progress: { total: 1, issued: 0, failed: 1, filesReady: 0, filesTotal: 0 },
    error,
    history: [{ at: 'now', status: 'COMPLETED', reason: hostile }],
  };
  const event = { type: 'SRR_FAILED', externalId: hostile, error };
  const data = {
    viewer: { issuer: '0x1' },
    issuance,
    entry: null,
    srr: { metadata: { title: { all: { en: hostile } } } },
    srrs: { edges: [], pageInfo: { hasNextPage: false } },
    events: { edges: [{ node: event }], pageInfo: { hasNextPage: false } },
    webhookEndpoints: {
      edges: [{ node: { id: '1', types: [], description: hostile } }],
      pageInfo: { hasNextPage: false },
    },
    deleteWebhookEndpoint: { userErrors: [error, error] },
  };

  it.each([
    ['an issuance', ['status', 'x'], 3],
    ['an issuance, for programs', ['status', 'x', '--json'], 3],
    ['a record', ['get', '1'], 1],
    ['events', ['events', 'list'], 2],
    ['endpoints', ['endpoints', 'list'], 1],
    ['user errors', ['endpoints', 'delete', '1'], 2],
    ['parts that are missing', ['get', '1', '--collection', 'missing'], 1],
    ['an error of the whole request', ['export', '--artist', 'refused'], 1],
    ['the same, for programs', ['export', '--artist', 'refused', '--json'], 1],
  ])('%s', async (_what, parameters, times) => {
    const { url } = await serve(({ body }, response) => {
      const document = body.toString();
      const errors = [{ message: hostile, path: ['srr'], extensions: { code: 'INVALID_INPUT' } }];
      if (document.includes('refused')) return reply(response, 200, { errors });
      reply(response, 200, document.includes('missing') ? { data: { srr: {} }, errors } : { data });
    });
    const { out, err } = await srr(parameters, { env: { SRR_URL: url, SRR_TOKEN: 'token' } });
    const expected = parameters.includes('--json') ? escaped.replace('\\u000a', '\\n') : escaped;
    expect(`${out}${err}`.split(expected)).toHaveLength(times + 1);
    expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(`${out}${err}`).not.toMatch(/^status {2}ISSUED/m);
  });

  it('a manifest', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'srr-')), 'records.json');
    writeFileSync(path, JSON.stringify([{ [hostile]: 1 }]));
    expect((await srr(['issue', path])).err).toContain(`column "${escaped}" is not known.`);
  });
});

it.runIf(process.platform === 'linux')('reports that the disk of its output is full', async () => {
  const full = openSync('/dev/full', 'w');
  const command = startSrr(['completion', 'bash'], { stdout: full });
  closeSync(full);
  const { code, err } = await command.ended;
  expect({ code, err }).toEqual({ code: 1, err: 'srr: The output cannot be written (ENOSPC).\n' });
});

it('is no failure when nobody reads the output any more, as after `| head`', async () => {
  const command = startSrr(['completion', 'bash']);
  command.child.stdout?.destroy();
  expect(await command.ended).toMatchObject({ code: 0, err: '' });
});

it('continues when nobody reads its progress any more', async () => {
  const nobody = await closedPort();
  const command = startSrr(['get', '1', '--url', nobody, '--retry-for', '1']);
  command.child.stderr?.destroy();
  // It still waits for the gateway as long as --retry-for says, and exits with the right code.
  expect(await command.ended).toMatchObject({ code: 3 });
});
