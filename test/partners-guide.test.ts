import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { parse, validate } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { schema } from '../src/graphql/schema/schema.ts';
import { project } from './_util/gateway-process.ts';
import { webhookBench } from './_util/webhook-bench.ts';
import { receiverSecret } from './_util/webhook-receiver.ts';

const guide = readFileSync(join(project, 'docs/partners.md'), 'utf8');
const snippet = (language: string) =>
  (new RegExp(`^( *)\`\`\`${language}\n([\\s\\S]*?)^ *\`\`\``, 'm').exec(guide)?.[2] ?? '').replace(
    /^ {3}/gm,
    '',
  );

/** The receiver of the guide, as a partner runs it. */
async function runReceiver() {
  const directory = mkdtempSync(join(tmpdir(), 'receiver-'));
  symlinkSync(join(project, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'receiver.mjs'), snippet('js'));
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: directory,
    env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: receiverSecret },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
    rmSync(directory, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}/`;
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(401);
  return { url, printed: () => printed };
}

describe('the guide for partners', () => {
  it('has a receiver of a few lines that verifies the challenge and the first delivery', async () => {
    const receiver = await runReceiver();
    const bench = await webhookBench();
    const command = /-d '(\{"query".+?)'"\$WEBHOOK_SECRET"'(.*?)'$/m.exec(guide);
    const body = `${command?.[1]}${receiverSecret}${command?.[2]}`.replace(
      'http://127.0.0.1:3000/',
      receiver.url,
    );
    const { query, variables } = JSON.parse(body);
    const { createWebhookEndpoint } = await bench.gateway.caller.data(query, variables);
    expect(createWebhookEndpoint).toMatchObject({ webhookEndpoint: { status: 'ENABLED' }, userErrors: [] });
    await expect.poll(receiver.printed).toMatch(/^CHALLENGE msg_[0-9a-f]{32} Answer 2xx/);
    await bench.happen('my-first-work');
    await expect.poll(receiver.printed).toMatch(/^SRR_FAILED msg_[0-9a-f]{32} my-first-work$/m);
    expect(snippet('js').trim().split('\n').length).toBeLessThanOrEqual(15);
  });

  it('has a query that the schema takes', () => {
    expect(validate(schema, parse(snippet('graphql')))).toEqual([]);
  });
});
