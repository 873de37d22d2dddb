import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IssueReport } from './report.ts';

it('two runs of one manifest can write the report at the same moment', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'srr-')), 'records.csv.report.json');
  const manifest = { path: 'records.csv', headers: [], drafts: [] };
  const [one, other] = [1, 2].map(() => new IssueReport(manifest, 'http://127.0.0.1/graphql', path));
  const pid = vi.spyOn(process, 'pid', 'get').mockReturnValue(1);
  const { writeFileSync } = fs;
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  vi.spyOn(fs, 'writeFileSync').mockImplementationOnce((...unfinished) => {
    writeFileSync(...unfinished);
    pid.mockReturnValue(2);
    other?.write('RUNNING');
  });
  syncBuiltinESMExports();
  one?.write('FINISHED');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ state: 'FINISHED' });
});

it('a cancelled record counts as failed, and one without an outcome as open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'srr-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const statuses = ['ISSUED', 'FAILED', 'CANCELLED', 'WAITING_FOR_MINING'];
  const drafts = statuses.map((externalId) => ({ where: '', externalId, entry: {}, faults: [] }));
  const manifest = { path: 'records.csv', headers: [], drafts };
  const report = new IssueReport(manifest, 'http://127.0.0.1/graphql', join(folder, 'report.json'));
  const entries = statuses.map((status) => ({ externalId: status, status }));
  report.settle(drafts, { requestId: 'r', entries, error: null } as never);
  expect(report.write('FINISHED').counts).toEqual({ records: 4, issued: 1, failed: 2, open: 1 });
});
