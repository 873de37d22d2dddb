import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GatewayProcess, gatewayProcess } from '../_util/gateway-process.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await gatewayProcess({ env: { LOG_LEVEL: 'info' } });
  await gateway.start();
});
afterAll(() => gateway?.remove());

interface Line {
  name: string;
  level: number;
  msg: string;
}

const texts = () =>
  gateway
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
const lines = () => texts().map((line) => JSON.parse(line) as Line);

describe('the log of a gateway with its sandbox', () => {
  beforeAll(async () => {
    const { pid } = JSON.parse(readFileSync(join(gateway.dataDir, 'sandbox/chain/anvil.json'), 'utf8')) as {
      pid: number;
    };
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => lines().some(({ msg }) => msg.startsWith('anvil ended')), { timeout: 10_000 });
    // Enough for several rounds of all tasks that read the chain each second.
    await sleep(5_000);
  });

  it('has each warning only once after the chain dies', () => {
    const problems = lines().filter(({ level }) => level >= 40);
    const repeated = problems.map(({ msg }) => msg).filter((msg, i, all) => all.indexOf(msg) !== i);
    expect(repeated).toEqual([]);
  });

  it('ends with "stopped", and each line has one name', async () => {
    expect(await gateway.stop('SIGTERM')).toBe(0);
    expect(lines().at(-1)).toMatchObject({ name: 'gateway', msg: 'stopped' });
    expect(new Set(lines().map(({ name }) => name))).toEqual(new Set(['gateway', 'sandbox']));
    // A line with an error has the error's name as well.
    for (const text of texts().filter((one) => !one.includes('"err":')))
      expect(text.match(/"name":/g), text).toHaveLength(1);
  });
});
