import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runtimePackages } from '../../scripts/runtime-packages.ts';

/**
 * Loaded into a process with `--import`, before its own modules. Writes a line to OBSERVE_FILE for each
 * module that it loads, each connection and each child process. With PRODUCTION_ONLY, it cannot load the
 * sandbox or a package that is not in the image.
 */
const file = process.env.OBSERVE_FILE;
if (!file) throw new Error('OBSERVE_FILE must name the file to write to');
const note = (kind: string, what: string) => appendFileSync(file, `${kind} ${what}\n`);

const root = pathToFileURL(join(import.meta.dirname, '../../')).href;
const runtime = runtimePackages();

/** Whether a file runs in production: one of ours outside the sandbox, or of a runtime package. */
function forProduction(url: string): boolean {
  if (!url.startsWith(root)) return true;
  const path = url.slice(root.length);
  if (path.startsWith('packages/sandbox/')) return false;
  // The innermost package that the file belongs to.
  const name = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
  return !name || runtime.has(name);
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (process.env.PRODUCTION_ONLY && !forProduction(found.url))
      throw Object.assign(new Error(`Cannot find '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    return found;
  },
  load(url, context, next) {
    if (!url.startsWith('node:')) note(forProduction(url) ? 'module' : 'foreign-module', url);
    return next(url, context);
  },
});

// Every TCP, TLS and local socket connection of any client goes through this function.
const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...parameters: unknown[]) {
  const [first, second] = Array.isArray(parameters[0]) ? (parameters[0] as unknown[]) : parameters;
  const { host, port, path } =
    typeof first === 'object' && first !== null
      ? (first as { host?: string; port?: number; path?: string })
      : { host: typeof second === 'string' ? second : undefined, port: Number(first), path: undefined };
  note('connection', path ?? `${host ?? 'localhost'}:${port}`);
  return (connect as (...all: unknown[]) => Socket).apply(this, parameters);
} as typeof connect;

subscribe('child_process', (message) => {
  const { process: child } = message as { process?: { spawnfile?: string } };
  note('child', child?.spawnfile ?? 'a process');
});
subscribe('udp.socket', () => note('udp', 'a socket'));
