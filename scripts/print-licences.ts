import { lockedPackages, runtimePackages } from './runtime-packages.ts';

/** Every package that the gateway runs with, and its licence, as the lock file has them. */
export function runtimeLicences(): { name: string; version: string; licence: string }[] {
  const locked = lockedPackages();
  return [...runtimePackages()]
    .filter((path) => path.includes('node_modules/') && !locked[path]?.link)
    .map((path) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: locked[path]?.version ?? '',
      licence: locked[path]?.license ?? 'unknown',
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

if (import.meta.main)
  for (const { name, version, licence } of runtimeLicences())
    process.stdout.write(`${licence.padEnd(22)} ${name} ${version}\n`);
