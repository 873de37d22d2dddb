import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, gatewayProcess } from '../_util/gateway-process.ts';

/** `npm start` shall run in 512 MB, of which anvil and npm take the rest. */
const allowedMB = 400;

// Only Linux shows the children of a process and its peak memory. PGlite is part of the measured process.
describe.skipIf(process.platform !== 'linux' || process.env.TEST_DATABASE_URL)('npm start', () => {
  let gateway: GatewayProcess | undefined;
  afterAll(() => gateway?.remove());

  it('takes at most 400 MB, at the first start and the next', async () => {
    gateway = await gatewayProcess({ npm: true, env: { SANDBOX_FIXTURES: 'on', LOG_LEVEL: 'warn' } });
    for (const start of ['first', 'next']) {
      await gateway.start();
      // The start continues after readiness, until this line.
      await expect.poll(gateway.output).toContain('A first query');
      const peakMB = Math.round(peakOf(gateway.pid()) / 1024);
      console.log(`${start} start: ${peakMB} MB at most`);
      expect(peakMB).toBeLessThan(allowedMB);
      await gateway.stop('SIGINT', 'group');
    }
  }, 150_000);
});

/** The peak memory in KiB of the process that npm started. */
function peakOf(npm: number | undefined): number {
  const [child] = readFileSync(`/proc/${npm}/task/${npm}/children`, 'utf8').split(' ');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]);
}
