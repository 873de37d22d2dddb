import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  /** Of a workspace: where it lies. */
  link?: true;
  resolved?: string;
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
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
    const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[from] ?? {};
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys(dependencies ?? {}), ...peers]) {
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

/** Where Node finds a package from another one: in the innermost `node_modules` around it. */
function nearest(from: string, name: string, packages: Record<string, LockedPackage>): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = join(folder, 'node_modules', name);
    if (packages[path]) return path;
    if (folder === '') throw new Error(`The lock file has no ${name} for ${from || 'the project'}.`);
  }
}
