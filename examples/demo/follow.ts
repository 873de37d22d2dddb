import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError, type Gateway, retrying } from './client.ts';

interface Issuance {
  status: string;
  progress: {
    total: number;
    filesTotal: number;
    filesReady: number;
    accepted: number;
    issued: number;
    failed: number;
  };
  error: { code: string; message: string } | null;
  entries: {
    edges: {
      node: { externalId: string; status: string; error: { code: string; message: string } | null };
    }[];
  };
}

const watch = `subscription ($id: ID!) {
  issuance(id: $id) {
    status
    progress { total filesTotal filesReady accepted issued failed }
    error { code message }
    entries { edges { node { externalId status error { code message } } } }
  }
}`;

const final = new Set(['COMPLETED', 'REJECTED', 'CANCELLED']);

/** Longer than any step takes in the sandbox, a restart of the gateway included. */
const silenceMs = 180_000;

/**
 * Prints each change until the issuance is final. The subscription starts with the present state, so a
 * lost connection is mended by subscribing again.
 */
export async function follow(gateway: Gateway, id: string): Promise<void> {
  let shown = '';
  let last: Issuance | undefined;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs).unref();
  while (!last || !final.has(last.status)) {
    await retrying('following the issuance', async () => {
      const changes = gateway.subscribe<{ issuance: Issuance }>(watch, { id }, silence.signal);
      for await (const { issuance } of changes) {
        last = issuance;
        timer.refresh();
        const line = progressLine(issuance);
        if (line !== shown) console.log(`   ${new Date().toISOString().slice(11, 23)}  ${line}`);
        shown = line;
      }
    });
    if (silence.signal.aborted)
      throw new DemoError(`Nothing has changed for three minutes (${last?.status}). See the gateway's log.`);
    // A server that stops politely ends the stream: give it a moment before asking again.
    if (!last || !final.has(last.status)) await sleep(300);
  }
  clearTimeout(timer);
  const failed = last.entries.edges.map(({ node }) => node).filter(({ status }) => status !== 'ISSUED');
  if (failed.length === 0) return;
  const reasons = failed.map(
    ({ externalId, status, error }) =>
      `  - ${externalId}: ${status} ${error?.code ?? ''} ${error?.message ?? ''}`,
  );
  throw new DemoError(
    [`Not every record was issued (${last.status}).`, last.error?.message, ...reasons]
      .filter(Boolean)
      .join('\n'),
  );
}

function progressLine({ status, progress: p }: Issuance): string {
  const counts = `files ${p.filesReady}/${p.filesTotal}  accepted ${p.accepted}/${p.total}  issued ${p.issued}/${p.total}`;
  return `${status.padEnd(18)}  ${counts}${p.failed ? `  failed ${p.failed}` : ''}`;
}
