import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, gatewayProcess } from './_util/gateway-process.ts';

/** A machine with 512 MB to spare runs `npm start`; the rest is for the chain's program and npm. */
const allowedMB = 400;

// Only Linux tells a process's children and its highest memory. The embedded database is in the process.
describe.skipIf(process.platform !== 'linux' || process.env.TEST_DATABASE_URL)('npm start', () => {
  let gateway: GatewayProcess | undefined;
  afterAll(() => gateway?.remove());

  it('never takes more than 400 MB, at its first start and the next', async () => {
    gateway = await gatewayProcess({ npm: true, env: { SANDBOX_FIXTURES: 'on', LOG_LEVEL: 'warn' } });
    for (const start of ['first', 'next']) {
      await gateway.start();
      // Ready comes before the end of the start.
      await expect.poll(gateway.output).toContain('A first query');
      const peakMB = Math.round(peakOf(gateway.pid()) / 1024);
      console.log(`${start} start: ${peakMB} MB at most`);
      expect(peakMB).toBeLessThan(allowedMB);
      await gateway.stop('SIGINT', 'group');
    }
  }, 150_000);
});

/** KiB, of the program that npm started. */
function peakOf(npm: number | undefined): number {
  const [child] = readFileSync(`/proc/${npm}/task/${npm}/children`, 'utf8').split(' ');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]);
}
