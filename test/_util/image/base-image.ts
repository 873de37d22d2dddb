import { execFileSync } from 'node:child_process';
import { cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How programs are started in a base image. */
export interface BaseImage {
  env: Record<string, string>;
}

/** The shell, and the programs of coreutils that steps of a Dockerfile may call. */
const programs = ['sh', 'env', 'cat', 'chmod', 'chown', 'cp', 'id', 'ls', 'mkdir', 'rm', 'touch'];

/** The users: the image of Node has one for programs without privileges. */
const files = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  'etc/group': 'root:x:0:\nnode:x:1000:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  // A container engine mounts the files of the host over these.
  'etc/hosts': '',
  'etc/resolv.conf': '',
};

/**
 * Fills an empty directory with the essential files of `node:24-slim`, from this machine: Node 24 of the npm
 * package `node`, npm, a shell, a few programs, and their libraries. It has no certificates, like the slim
 * image, because Node has its own.
 */
export async function fillBase(root: string): Promise<BaseImage> {
  const version = process.versions.node;
  if (!version.startsWith('24.')) throw new Error(`Run it through npm: this is Node ${version}, not 24.`);
  for (const path of ['bin', 'dev', 'proc', 'root', 'run', 'home/node', 'etc', 'usr/local/bin', 'usr/bin'])
    await mkdir(join(root, path), { recursive: true });
  await mkdir(join(root, 'tmp'), { mode: 0o1777 });
  execFileSync('chown', ['1000:1000', join(root, 'home/node')]);
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);

  await copyProgram(process.execPath, '/usr/local/bin/node', root);
  // This library is in Debian's libc6; the picture library needs it, although Node does not.
  await copyLibrary('libresolv.so.2', root);
  for (const name of programs) await copyProgram(await find(name), `/usr/bin/${name}`, root);
  await symlink('../usr/bin/sh', join(root, 'bin/sh'));

  await cp(await npmPackage(), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  return { env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' } };
}

const find = async (name: string) =>
  realpath(execFileSync('sh', ['-c', `command -v "$0"`, name], { encoding: 'utf8' }).trim());

/** The directory of npm, which npm puts into the environment of its programs. */
async function npmPackage(): Promise<string> {
  const { npm_execpath: path } = process.env;
  if (path === undefined) throw new Error('Run it through npm: npm run test:image.');
  return dirname(dirname(await realpath(path)));
}

/** Copies a program to a path, and its libraries to where its loader finds them. */
async function copyProgram(from: string, to: string, root: string): Promise<void> {
  await cp(from, join(root, to));
  const output = execFileSync('ldd', [from], { encoding: 'utf8' });
  for (const [library] of output.matchAll(/(?<=^\t(?:\S+ => )?)\/\S+/gm))
    await cp(await realpath(library), join(root, library), { force: false });
}

/** Copies a library from the directory of the C library. */
async function copyLibrary(name: string, root: string): Promise<void> {
  const output = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  const [, beside] = /=> (\/\S+)\/libc\.so/.exec(output) ?? [];
  if (beside === undefined) throw new Error(`${process.execPath} names no C library`);
  await cp(await realpath(join(beside, name)), join(root, beside, name));
}
