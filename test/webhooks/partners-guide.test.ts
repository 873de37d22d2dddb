import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { parse, validate } from 'graphql';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { schema } from '../../src/graphql/schema/schema.ts';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { expectCode, srr, srrEnv, startSrr } from '../_util/srr.ts';
import { receiverSecret } from '../_util/webhook-receiver.ts';

const snippets = snippetsOf('docs/partners.md');
const codeOf = (language: string) =>
  snippets.filter((snippet) => snippet.language === language).map(({ code }) => code);
const example = 'examples/webhook-receiver.mjs';

let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8' } });
  env = { ...srrEnv(gateway), SRR_WEBHOOK_SECRET: receiverSecret };
});
afterAll(() => gateway?.stop());

/** Runs the receiver of the guide as a process with nothing but its secret and its port. */
async function runReceiver() {
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, [example], {
    cwd: project,
    env: { PATH: process.env.PATH, PORT: String(port), SRR_WEBHOOK_SECRET: receiverSecret },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const origin = `http://127.0.0.1:${port}`;
  const unsigned = () => fetch(`${origin}/hook`, { method: 'POST' }).then(({ status }) => status);
  await expect.poll(() => unsigned().catch(() => 0)).toBe(401);
  return {
    origin,
    printed: () => printed,
    verified: () => [...printed.matchAll(/^verified \{\n {2}type: '(\w+)'/gm)].map(([, type]) => type),
  };
}

describe('the receiver of the guide for partners', () => {
  it('has ten lines of code, all of which the guide shows', () => {
    const source = readFileSync(join(project, example), 'utf8');
    expect(source.split('\n').filter((line) => line.trim() !== '')).toHaveLength(10);
    expect(codeOf('js').map((code) => code.replace(/^ {3}/gm, ''))).toEqual([source]);
  });

  it('verifies a delivery that srr listen forwards, and refuses a forged one', async () => {
    const receiver = await runReceiver();
    const listener = startSrr(
      ['listen', '--forward-to', `${receiver.origin}/hook`, '--events', 'SRR_ISSUED'],
      { env },
    );
    onTestFinished(async () => {
      listener.child.kill('SIGKILL');
      await listener.ended;
    });
    await expect.poll(listener.out, { timeout: 20_000 }).toContain('Signing secret: ');
    const result = await srr(['trigger', 'SRR_ISSUED', '--json'], { env });
    expectCode(result, 0);
    const event = JSON.parse(result.out);
    await expect.poll(receiver.printed).toContain(`externalId: '${event.externalId}'`);
    expect(receiver.printed()).toContain(`tokenId: '${event.srr.tokenId}'`);
    expect(receiver.verified()).toEqual(['SRR_ISSUED']);
    await expect.poll(listener.out).toMatch(/SRR_ISSUED {2}\S+ {2}204\n/);

    const forger = new Webhook(`whsec_${Buffer.alloc(32, 9).toString('base64')}`);
    const [body, now] = [JSON.stringify({ type: 'SRR_FORGED', data: event }), new Date()];
    const { status } = await fetch(`${receiver.origin}/hook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': forger.sign('msg_1', now, body),
      },
      body,
    });
    expect(status).toBe(401);
    expect(receiver.verified()).toEqual(['SRR_ISSUED']);
  });
});

describe('the guide for partners', () => {
  it('shows commands that lead to the first delivery as written', async () => {
    const receiver = await runReceiver();
    const commands = snippets
      .filter(({ language, heading }) => language === 'sh' && heading.startsWith('The first delivery'))
      .flatMap(({ code }) => [...code.matchAll(/^ *npx srr (.+)$/gm)].map(([, line = '']) => line));
    expect(commands.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'endpoints create',
      'trigger SRR_ISSUED',
      'endpoints deliveries',
      'endpoints test',
    ]);
    // The endpoint gets events of all types, so keep those of the guide's steps.
    const steps = () =>
      receiver.verified().filter((type) => ['CHALLENGE', 'SRR_ISSUED', 'TEST'].includes(String(type)));
    for (const line of commands) {
      const parameters = line.replace('http://127.0.0.1:3000', receiver.origin).split(' ');
      expectCode(await srr(parameters, { env }), 0);
      if (line.startsWith('trigger')) await expect.poll(steps).toEqual(['CHALLENGE', 'SRR_ISSUED']);
    }
    expect(steps()).toEqual(['CHALLENGE', 'SRR_ISSUED', 'TEST']);
  });

  it('shows GraphQL that is valid against the schema', () => {
    expect(codeOf('graphql')).toHaveLength(2);
    for (const code of codeOf('graphql')) expect(validate(schema, parse(code))).toEqual([]);
  });
});
