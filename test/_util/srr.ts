import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type TestGateway, testToken } from './gateway.ts';
import { project } from './gateway-process.ts';

/** Runs in the command before its own code, and writes a byte to stderr for each request that it starts. */
const announceRequests = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  const { fetch } = globalThis;
  globalThis.fetch = (...request) => { writeSync(2, '\\x01'); return fetch(...request); };
`)}`;

export interface SrrOptions {
  env?: Record<string, string>;
  /** Kills it when it starts its nth request. */
  killAtRequest?: number;
  /** A file descriptor for its output, which is then not in the result. */
  stdout?: number;
}

export interface SrrResult {
  code: number | null;
  killed: boolean;
  out: string;
  err: string;
}

export interface SrrProcess {
  child: ChildProcess;
  out(): string;
  err(): string;
  ended: Promise<SrrResult>;
}

/** Starts the binary of packages/cli as a process. */
export function startSrr(parameters: readonly string[], options: SrrOptions = {}): SrrProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...options.env };
  const binary = join(project, 'packages/cli/bin/srr.js');
  const most = options.killAtRequest;
  const announced = most === undefined ? [] : ['--import', announceRequests];
  const child = spawn(process.execPath, [...announced, binary, ...parameters], {
    env,
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    if (most !== undefined && err.split('\x01').length > most) child.kill('SIGKILL');
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    killed: signal === 'SIGKILL',
    out,
    err: err.replaceAll('\x01', ''),
  }));
  return { child, out: () => out, err: () => err, ended };
}

export const srr = (parameters: readonly string[], options?: SrrOptions): Promise<SrrResult> =>
  startSrr(parameters, options).ended;

/** The variables of the command for the gateway of a test. */
export const srrEnv = ({ app, sandbox }: TestGateway): Record<string, string> => ({
  SRR_URL: `${app.url}/graphql`,
  SRR_TOKEN: testToken,
  SRR_SANDBOX_URL: sandbox.sandbox.url,
});

export interface ManifestFolder {
  folder: string;
  /** The path of the manifest. */
  path: string;
  headers: string[];
  rows: string[][];
  write(): void;
}

let folders = 0;

/** Writes a CSV manifest with two files for each record, all of them different. */
export function manifestOf(gateway: TestGateway, count: number): ManifestFolder {
  const folder = mkdtempSync(join(tmpdir(), 'srr-'));
  const tag = `m${process.pid}-${folders++}`;
  mkdirSync(join(folder, 'files'));
  const artist = gateway.info.artists[0]?.address ?? '';
  const headers = 'externalId artistAddress isPrimaryIssuer lockExternalTransfer name'.split(' ');
  headers.push(...'title.en title.ja medium.en yearOfCreation.en image attachments.certificate'.split(' '));
  const rows = Array.from({ length: count }, (_, i) => {
    writeFileSync(join(folder, `files/${i}.jpg`), `picture ${tag} ${i} `.repeat(200));
    writeFileSync(join(folder, `files/${i}.pdf`), `certificate ${tag} ${i} `.repeat(100));
    const files = [`files/${i}.jpg`, `files/${i}.pdf`];
    return [`${tag}-${i}`, artist, 'yes', 'no', `Work ${i}`, `"Work, ${i}"`, '無題', 'Oil', '2026', ...files];
  });
  const path = join(folder, 'records.csv');
  const write = () =>
    writeFileSync(path, `${[headers, ...rows].map((cells) => cells.join(',')).join('\n')}\n`);
  write();
  return { folder, path, headers, rows, write };
}

export function expectCode(result: SrrResult, code: number): void {
  expect(result, `${result.out}${result.err}`).toMatchObject({ code });
}
