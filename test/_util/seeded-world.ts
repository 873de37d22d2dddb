import { query } from '@srr-gateway/sandbox/testing/control';
import { readWorldFile } from '@srr-gateway/sandbox/testing/metadata-rules';
import { vi } from 'vitest';

/** Waits until the subgraph of the sandbox has indexed the seeded world, which it does after the start. */
export async function untilSeeded(info: { subgraphUrl: string }): Promise<void> {
  const { head } = await readWorldFile();
  const indexed = async () => (await query(info, '{ _meta { block { number } } }')).data._meta.block.number;
  await vi.waitUntil(async () => (await indexed()) >= head.number, { timeout: 60_000, interval: 100 });
}
