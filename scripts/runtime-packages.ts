import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  /** Of a workspace: where it lies. */
  link?: true;
  resolved?: string;
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Every package of the lock file, by its path. */
export function lockedPackages(): Record<string, LockedPackage> {
  const lock = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8');
  return (JSON.parse(lock) as { packages: Record<string, LockedPackage> }).packages;
}

/** Paths of the packages that the gateway needs to run: without those for development and the sandbox. */
export function runtimePackages(): Set<string> {
  const packages = lockedPackages();
  const found = new Set<string>();
  const open = [''];
  for (const from of open) {
    const {
      dependencies,
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = packages[from] ?? {};
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    const optional = Object.keys(optionalDependencies).filter((name) => isForHere(packages, from, name));
    for (const name of [...Object.keys(dependencies ?? {}), ...optional, ...peers]) {
      const path = nearest(from, name, packages);
      for (const one of [path, packages[path]?.link && packages[path].resolved]) {
        if (!one || found.has(one)) continue;
        found.add(one);
        open.push(one);
      }
    }
  }
  return found;
}

/** Whether an optional package is locked, and for this platform: others are not installed. */
function isForHere(packages: Record<string, LockedPackage>, from: string, name: string): boolean {
  const path =
    Object.keys(packages).find((one) => one === join(from, 'node_modules', name)) ?? `node_modules/${name}`;
  const { os, cpu, libc } = packages[path] ?? { os: [] };
  const here = (names: string[] | undefined, own: string) => names === undefined || names.includes(own);
  return here(os, process.platform) && here(cpu, process.arch) && here(libc, libcHere());
}

function libcHere(): string {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime ? 'glibc' : 'musl';
}

/** Where Node finds a package from another one: in the innermost `node_modules` around it. */
function nearest(from: string, name: string, packages: Record<string, LockedPackage>): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = join(folder, 'node_modules', name);
    if (packages[path]) return path;
    if (folder === '') throw new Error(`The lock file has no ${name} for ${from || 'the project'}.`);
  }
}
