import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { control as turn } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { expectCode, manifestOf, srr, srrEnv, startSrr } from '../_util/srr.ts';
import { faultyProxy } from '../client/faulty-proxy.ts';

let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startTestGateway();
  env = srrEnv(gateway);
});
afterAll(() => gateway?.stop());

interface Reported {
  where: string;
  externalId: string;
  status: string;
  requestId: string | null;
  tokenId: string | null;
  error: { code: string; message: string; column: string | null } | null;
}
const issue = async (path: string, ...more: string[]) => {
  const result = await srr(['issue', path, '--json', ...more], { env });
  const report = JSON.parse(result.out) as { state: string; counts: object; records: Reported[] };
  expect(JSON.parse(readFileSync(`${path}.report.json`, 'utf8'))).toEqual(report);
  return { ...result, report };
};
const tokensOf = ({ records }: { records: Reported[] }) => records.map(({ tokenId }) => tokenId);

it('checks a manifest without uploads, then issues it with the values of all its columns', async () => {
  const manifest = manifestOf(gateway, 2);
  const [externalId = ''] = manifest.rows[0] ?? [];
  const uploads = () => gateway.caller.data('{ myUploads { edges { node { filename } } } }');
  const uploadsBefore = await uploads();
  const dry = await srr(['issue', manifest.path, '--dry-run', '--json'], { env });
  expectCode(dry, 0);
  expect(JSON.parse(dry.out)).toEqual({
    valid: true,
    records: 2,
    used: 0,
    files: 4,
    faults: [],
    warnings: [],
  });
  expect(await uploads()).toEqual(uploadsBefore);

  const result = await srr(['issue', manifest.path, '--batch', '1'], { env });
  expectCode(result, 0);
  expect(result.out).toBe(`2 of 2 records issued. Report: ${manifest.path}.report.json\n`);
  // Without a terminal, progress is plain lines.
  expect(result.err).toMatch(/^files uploaded 1\/4\n[\s\S]*records issued 2\/2\n$/);
  const { issuanceEntry } = await gateway.caller.data(
    `query ($externalId: String!) { issuanceEntry(externalId: $externalId) { input srr { metadata {
       name title { all } image { cid } attachmentFiles { category } } } } }`,
    { externalId },
  );
  expect(issuanceEntry).toMatchObject({
    input: { isPrimaryIssuer: true, attachments: [{ name: '0.pdf', category: 'CERTIFICATE' }] },
    srr: { metadata: { name: 'Work 0', title: { all: { en: 'Work, 0', ja: '無題' } } } },
  });

  const again = await srr(['issue', manifest.path, '--dry-run', '--json'], { env });
  expect(JSON.parse(again.out)).toMatchObject({ used: 2 });
});

it('issues what a corrected manifest adds, and leaves the rest as it is', async () => {
  const manifest = manifestOf(gateway, 3);
  const first = await issue(manifest.path);
  expectCode(first, 0);
  const [row] = manifestOf(gateway, 1).rows;
  manifest.rows.push((row ?? []).map((cell) => cell.replace('files/0', 'files/1')));
  manifest.write();
  const second = await issue(manifest.path);
  expectCode(second, 0);
  expect(tokensOf(second.report).slice(0, 3)).toEqual(tokensOf(first.report));
  expect(tokensOf(second.report)[3]).toMatch(/^\d+$/);

  // A record that is issued cannot be changed, so a changed cell is a fault, and nothing is issued for it.
  (manifest.rows[1] as string[])[7] = 'Bronze';
  manifest.write();
  const dry = await srr(['issue', manifest.path, '--dry-run'], { env });
  expectCode(dry, 1);
  expect(dry.err).toMatch(/: row 3, column "medium\.en": The externalId was used before, .*\n$/);
  const third = await issue(manifest.path);
  expectCode(third, 1);
  expect(third.report.counts).toEqual({ records: 4, issued: 3, failed: 1, open: 0 });
  expect(third.report.records[1]).toMatchObject({
    where: 'row 3',
    status: 'REFUSED',
    error: { code: 'DUPLICATE_EXTERNAL_ID', column: 'medium.en' },
  });
});

it('checks many records whose files are not uploaded, and finds a fault in the last', async () => {
  const manifest = manifestOf(gateway, 100);
  const dryRun = async () =>
    JSON.parse((await srr(['issue', manifest.path, '--dry-run', '--json'], { env })).out);
  expect(await dryRun()).toMatchObject({ valid: true, records: 100, faults: [] });
  (manifest.rows[99] as string[])[1] = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  manifest.write();
  expect(await dryRun()).toMatchObject({
    valid: false,
    faults: [{ where: 'row 101', column: 'artistAddress', code: 'UNKNOWN_ARTIST' }],
  });
});

it('shows what the gateway refuses by row and column, and issues the other batches', async () => {
  const manifest = manifestOf(gateway, 4);
  const nobody = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  (manifest.rows[2] as string[])[1] = nobody;
  manifest.write();
  const dry = await srr(['issue', manifest.path, '--dry-run'], { env });
  expectCode(dry, 1);
  expect(dry.err).toContain(`${manifest.path}: row 4, column "artistAddress": `);
  const printed = await srr(['issue', manifest.path], { env });
  const lines = printed.err.match(/(?<=records.csv: )row .*|^… .*/gm);
  expect(lines).toEqual([
    expect.stringMatching(/^row 2: .*SRR_NOT_CREATED\)$/),
    expect.stringMatching(/^row 4, column "artistAddress": /),
    '… and 2 more: see the report.',
  ]);
  const result = await issue(manifest.path, '--batch', '2');
  expectCode(result, 1);
  expect(result.report.counts).toEqual({ records: 4, issued: 2, failed: 2, open: 0 });
  expect(result.report.records[2]?.error).toMatchObject({ column: 'artistAddress' });

  (manifest.rows[2] as string[])[1] = '0x12';
  manifest.write();
  const malformed = await issue(manifest.path, '--batch', '2');
  expectCode(malformed, 1);
  expect(malformed.report.records[2]).toMatchObject({
    status: 'REFUSED',
    error: { column: 'artistAddress', message: expect.stringMatching(/^Address must be 0x/) },
  });
  // With --json there is no summary at the end, so this was reported during the run.
  expect(malformed.err).toContain('records.csv: row 4 to row 5 were not issued. row 4: Address must be 0x');
  expect(malformed.report.records[3]?.error?.message).toContain('refused: row 4: Address must be 0x');

  (manifest.rows[2] as string[])[1] = gateway.info.artists[0]?.address ?? '';
  const [, , third = [], fourth = []] = manifest.rows;
  manifest.rows[3] = [fourth[0] ?? '', ...third.slice(1)];
  manifest.write();
  const alike = await srr(['issue', manifest.path, '--dry-run'], { env });
  expect(alike.err).toContain('row 5, column "name": Metadata and artist equal those of row 4, ');
  const refused = await issue(manifest.path, '--batch', '2');
  expect(refused.report.records[3]?.error?.message).toContain('equal those of row 4, ');

  manifest.rows[3] = fourth;
  manifest.write();
  expectCode(await issue(manifest.path, '--batch', '2'), 0);
});

it('reports the fault of a picture once, although it is the thumbnail too', async () => {
  const manifest = manifestOf(gateway, 1);
  (manifest.rows[0] as string[])[9] = 'ipfs://none';
  manifest.write();
  const dry = await srr(['issue', manifest.path, '--dry-run', '--json'], { env });
  expect(JSON.parse(dry.out).faults).toMatchObject([{ where: 'row 2', column: 'image' }]);
});

it('names the column of an attachment that cannot be issued', async () => {
  const manifest = manifestOf(gateway, 1);
  manifest.headers.push('attachments.artwork');
  manifest.rows[0]?.push('files/0.jpg|ipfs://bafkqaaa');
  manifest.write();
  const dry = await srr(['issue', manifest.path, '--dry-run', '--json'], { env });
  const fault = { code: 'FILE_URL_NOT_ALLOWED', column: 'attachments.artwork' };
  expect(JSON.parse(dry.out).faults).toMatchObject([fault]);
  expect((await issue(manifest.path)).report.records).toMatchObject([{ error: fault }]);
});

it('has the gateway check the records before it reads their files', async () => {
  const manifest = manifestOf(gateway, 3);
  (manifest.rows[2] as string[])[1] = '0x12';
  manifest.write();
  const unreadable = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.createReadStream = () => { throw new Error('A file was read.'); };
    syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(unreadable)}`;
  for (const more of [[], ['--dry-run']]) {
    const result = await srr(['issue', manifest.path, ...more], { env: { ...env, NODE_OPTIONS } });
    expectCode(result, 1);
    expect(result.err).toContain('row 4, column "artistAddress": ');
    expect(result.err).not.toContain('A file was read.');
  }
});

it.each([
  ['malformed', '0x12', 'INVALID_INPUT'],
  ['unusable', `0x${'0'.repeat(40)}`, 'ADDRESS_INVALID'],
])('reports a %s value before it uploads the files of its batch', async (_, to, code) => {
  const manifest = manifestOf(gateway, 3);
  manifest.headers.push('to');
  const last = manifest.rows[2] as string[];
  last.push(to);
  manifest.write();
  const refused = await issue(manifest.path);
  expect(refused.err).not.toContain('files uploaded');
  expect(refused.report.counts).toMatchObject({ issued: 0, failed: 3 });
  expect(refused.report.records[2]).toMatchObject({ status: 'REFUSED', error: { code, column: 'to' } });

  manifest.rows.pop();
  manifest.write();
  expectCode(await issue(manifest.path), 0);
  manifest.rows.push(last);
  manifest.write();
  const added = await issue(manifest.path);
  expect(added.err).not.toContain('files uploaded 5/6');
  expect(added.report.counts).toMatchObject({ issued: 2, failed: 1 });
});

it.each([
  ['is sent', 9_000_000, "init?.method === 'PUT'"],
  ['is announced', 1_000, "init?.body?.includes?.('AnnounceFiles')"],
])('refuses only the batch of a file that changes while it %s', async (_, size, moment) => {
  const manifest = manifestOf(gateway, 2);
  const path = join(manifest.folder, 'files/0.jpg');
  writeFileSync(path, Buffer.alloc(size, manifest.folder));
  const change = `import { appendFileSync } from 'node:fs';
    const { fetch } = globalThis;
    let changed = false;
    globalThis.fetch = (url, init) => {
      if (!changed && ${moment}) { changed = true; appendFileSync('${path}', 'more'); }
      return fetch(url, init);
    };`;
  const changing = { ...env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(change)}` };
  const parameters = ['issue', manifest.path, '--batch', '1'];
  const result = await srr(parameters, { env: changing });
  expectCode(result, 1);
  expect(result.err).toMatch(/row 2: .* REFUSED: .*0\.jpg: The file was changed .* \(CONTENT_MISMATCH\)/);
  expect(result.err).not.toContain('    at ');
  expect(result.out).toMatch(/^1 of 2 records issued/);
  expectCode(await srr(parameters, { env }), 0);
});

it('sends a rejected batch again only with --retry, and later resumes that attempt', async () => {
  const manifest = manifestOf(gateway, 1);
  const [externalId = ''] = manifest.rows[0] ?? [];
  await fault({ kind: 'issue', externalId, effect: 'entryNotCreated', reason: 'a full moon' });
  const rejected = await issue(manifest.path);
  expectCode(rejected, 1);
  const upstreamMessage = expect.stringContaining('a full moon');
  expect(rejected.report.records[0]).toMatchObject({ status: 'FAILED', error: { upstreamMessage } });
  for (const output of [
    (await srr(['issue', manifest.path], { env })).err,
    (await srr(['status', externalId], { env })).out,
    (await srr(['events', 'list', '--external-id', externalId], { env })).out,
  ])
    expect(output).toMatch(/The service says: ".*a full moon.*" \(SRR_NOT_CREATED\)/);
  expect((await issue(manifest.path)).report.records[0]).toEqual(rejected.report.records[0]);
  const retried = await issue(manifest.path, '--retry');
  expectCode(retried, 0);
  expect(retried.report.records[0]?.requestId).toBe(`${rejected.report.records[0]?.requestId}-2`);
  const again = await issue(manifest.path);
  expectCode(again, 0);
  expect(again.report.records).toEqual(retried.report.records);
});

it('finds the records of a rejected batch that were issued in others', async () => {
  const manifest = manifestOf(gateway, 2);
  const [externalId = ''] = manifest.rows[1] ?? [];
  await fault({ kind: 'issue', externalId, effect: 'entryNotCreated', reason: 'a full moon' });
  expectCode(await issue(manifest.path), 1);
  const apart = await issue(manifest.path, '--batch', '1');
  expectCode(apart, 0);
  const again = await issue(manifest.path);
  expectCode(again, 0);
  expect(again.report.records).toEqual(apart.report.records);
});

it('writes a report when stopped by Ctrl-C, and resumes', async () => {
  const manifest = manifestOf(gateway, 2);
  await holdMining();
  const process = startSrr(['issue', manifest.path], { env });
  await expect.poll(() => process.err()).toContain('files uploaded 4/4');
  process.child.kill('SIGINT');
  const stopped = await process.ended;
  await mine();
  expectCode(stopped, 130);
  expect(stopped.err).toContain('Run the same command again to resume.');
  const report = JSON.parse(readFileSync(`${manifest.path}.report.json`, 'utf8'));
  expect(report).toMatchObject({ state: 'INTERRUPTED', counts: { records: 2, issued: 0, open: 2 } });
  expectCode(await issue(manifest.path), 0);
});

it('accepts JSON, another folder, and files that records share', async () => {
  const { folder, rows } = manifestOf(gateway, 1);
  const [row = []] = rows;
  const record = (externalId: string, image: string) => ({
    externalId: `${row[0]}-${externalId}`,
    artistAddress: row[1],
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    name: externalId,
    title: { en: externalId, ja: '港' },
    medium: { en: 'Oil' },
    yearOfCreation: { en: 2026 },
    size: { height: 12.5, unit: 'cm' },
    image,
    attachments: { certificate: ['0.pdf', '0.jpg'] },
  });
  const path = join(folder, 'records.json');
  writeFileSync(path, JSON.stringify([record('a', '0.jpg'), record('b', '0.jpg')]));
  const dry = await srr(['issue', path, '--files', join(folder, 'files'), '--dry-run', '--json'], { env });
  // Records share the picture, but the same file as a certificate is another upload.
  expect(JSON.parse(dry.out)).toMatchObject({ valid: true, records: 2, files: 3 });
  const result = await issue(path, '--files', join(folder, 'files'));
  expectCode(result, 0);
  expect(result.report.records.map(({ where }) => where)).toEqual(['record 1', 'record 2']);
  // One issuance now holds the records of two batches.
  const again = await issue(path, '--files', join(folder, 'files'), '--batch', '1');
  expect(again.err).toMatch(/records issued 2\/2\n$/);
  expect(result.err).not.toContain(basename(folder));
});

const control = <T = unknown>(settings: object) => turn<T>(gateway.sandbox.sandbox, 'settings', settings);
const fault = (one: object) => turn(gateway.sandbox.sandbox, 'faults', one);

const mine = () => control<void>({ miningIntervalMs: 10 });
/** Mines nothing for a minute, or until `mine`, which the end of the test calls too. */
async function holdMining(): Promise<void> {
  onTestFinished(mine);
  await control({ miningIntervalMs: 60_000 });
}

it('overwrites nothing but a report', async () => {
  const manifest = manifestOf(gateway, 1);
  const text = readFileSync(manifest.path, 'utf8');
  // Reading a pipe that nobody writes to, or an endless device, to see what it is would never end.
  const pipe = join(manifest.folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const place of [manifest.path, join(manifest.path, '..'), pipe, '/dev/null']) {
    const refused = await srr(['issue', manifest.path, '--report', place], { env });
    expectCode(refused, 2);
    expect(refused.err).toContain('--report');
  }
  expect(readFileSync(manifest.path, 'utf8')).toBe(text);
});

/** Stops the clock, so that only the first and the last report are written. */
const stoppedClock = { NODE_OPTIONS: '--import data:text/javascript,Date.now=()=>1e12' };

it.each([
  ['any', {}],
  ['the last', stoppedClock],
])('exits with 1 when %s report cannot be written, because records were sent', async (_, clock) => {
  const manifest = manifestOf(gateway, 1);
  const place = join(manifest.folder, 'reports');
  mkdirSync(place);
  await holdMining();
  const parameters = ['issue', manifest.path, '--report', join(place, 'report.json')];
  const process = startSrr(parameters, { env: { ...env, ...clock } });
  await expect.poll(process.err).toContain('files uploaded 2/2');
  rmSync(place, { recursive: true });
  await mine();
  const stopped = await process.ended;
  expectCode(stopped, 1);
  expect(stopped.err).toContain('Run the same command again to resume.');
  expect(stopped.err).toContain('report.json cannot be written (ENOENT)');
  expectCode(await issue(manifest.path), 0);
});

it('reports both what stopped it and that its report cannot be written', async () => {
  const manifest = manifestOf(gateway, 1);
  const place = join(manifest.folder, 'reports');
  mkdirSync(place);
  await holdMining();
  const front = await faultyProxy(gateway.app.url);
  const parameters = ['issue', manifest.path, '--report', join(place, 'report.json'), '--retry-for', '0'];
  const process = startSrr(parameters, { env: { ...env, SRR_URL: `${front.url}/graphql`, ...stoppedClock } });
  await expect.poll(process.err).toContain('files uploaded 2/2');
  rmSync(place, { recursive: true });
  await front.close();
  const stopped = await process.ended;
  await mine();
  expectCode(stopped, 3);
  expect(stopped.err).toContain('report.json cannot be written (ENOENT)');
  expect(stopped.err).toContain('(NO_ANSWER)');
});

it.each([
  ['what was issued', []],
  ['--dry-run', ['--dry-run']],
])('exits with the same code when nobody reads the output of %s', async (_, more) => {
  const manifest = manifestOf(gateway, 1);
  (manifest.rows[0] as string[])[1] = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  manifest.write();
  const process = startSrr(['issue', manifest.path, '--json', ...more], { env });
  process.child.stdout?.destroy();
  expectCode(await process.ended, 1);
});
