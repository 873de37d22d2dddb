import fs, { mkdtempSync, readFileSync } from 'node:fs';
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
