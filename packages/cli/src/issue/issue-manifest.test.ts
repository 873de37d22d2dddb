import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdempotencyConflictError, NotFoundError } from '@srr-gateway/client';
import { expect, it, onTestFinished } from 'vitest';
import { issueManifest } from './issue-manifest.ts';
import { IssueReport } from './report.ts';

it('a batch that a killed run had sent is followed, although it was stored only after the lookup', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'srr-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const draft = { where: 'row 2', externalId: 'a', entry: { externalId: 'a' }, faults: [] };
  const entries = [{ externalId: 'a', status: 'ISSUED', srr: { tokenId: '1' } }];
  const stored = [Promise.reject(new NotFoundError({ code: 'NOT_FOUND', message: 'none' }))];
  const client = {
    query: async () => ({ data: { validateSRRs: { userErrors: [], warnings: [] } }, errors: [] }),
    issue: (_entries: unknown, { requestId }: { requestId: string }) => ({
      requestId,
      stored: Promise.reject(
        new IdempotencyConflictError({ code: 'IDEMPOTENCY_CONFLICT', message: 'other entries' }),
      ),
    }),
    issuance: ({ requestId }: { requestId: string }) => ({
      stored: stored.pop() ?? Promise.resolve({ status: 'COMPLETED' }),
      status: (async function* () {})(),
      done: Promise.resolve({ requestId, entries, error: null }),
    }),
  };
  const manifest = { path: 'records.csv', headers: [], drafts: [draft] };
  const report = new IssueReport(manifest, 'http://127.0.0.1/graphql', join(folder, 'report.json'));
  const session = { client, signal: new AbortController().signal } as never;
  const ignored = () => {};
  const callbacks = { onUploaded: ignored, onIssued: ignored, onRefused: ignored };
  await issueManifest({ session, report, drafts: [draft], batchSize: 1, retry: false, ...callbacks });
  expect(report.recordOf(draft)).toMatchObject({ status: 'ISSUED', tokenId: '1', error: null });
});
