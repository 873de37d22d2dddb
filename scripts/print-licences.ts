import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
}

/** Every package that the product runs with, and its licence, as the lock file has them. */
export function runtimeLicences(): { name: string; version: string; licence: string }[] {
  const file = new URL('../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version = '', license = 'unknown' }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { name, version, licence } of runtimeLicences())
    process.stdout.write(`${licence.padEnd(22)} ${name} ${version}\n`);
