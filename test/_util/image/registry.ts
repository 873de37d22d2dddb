import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Lent } from './build.ts';

/**
 * Gives steps the npm settings and the npm cache of this machine, at paths that no image has, as a container
 * engine mounts secrets and caches. `secret` is added to the settings.
 */
export async function lendRegistry(npmrc: string, secret: string): Promise<Lent> {
  const settings = JSON.parse(execFileSync('npm', ['config', 'list', '--json'], { encoding: 'utf8' })) as {
    registry: string;
    cache: string;
    cafile: string | null;
    userconfig: string;
  };
  const own = existsSync(settings.userconfig) ? readFileSync(settings.userconfig, 'utf8') : '';
  await writeFile(npmrc, `${own}\n//registry.example/:_authToken=${secret}\n`, { mode: 0o600 });
  const { NODE_EXTRA_CA_CERTS: authorities = settings.cafile } = process.env;
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].filter((name) => process.env[name]);
  return {
    mounts: [
      { source: 'tmpfs', target: '/run' },
      { source: npmrc, target: '/run/npmrc' },
      { source: settings.cache, target: '/run/npm-cache' },
      ...(authorities ? [{ source: authorities, target: '/run/authorities.pem' }] : []),
    ],
    env: {
      npm_config_userconfig: '/run/npmrc',
      npm_config_registry: settings.registry,
      npm_config_cache: '/run/npm-cache',
      // Packages that `npm ci` of the checkout has fetched are in the cache.
      npm_config_prefer_offline: 'true',
      npm_config_update_notifier: 'false',
      ...(authorities && {
        npm_config_cafile: '/run/authorities.pem',
        NODE_EXTRA_CA_CERTS: '/run/authorities.pem',
      }),
      ...Object.fromEntries(proxies.map((name) => [name, process.env[name] as string])),
    },
  };
}
