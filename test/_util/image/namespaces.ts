import { execFileSync } from 'node:child_process';

/** A mount at a path of the root: a directory or file of this machine, or an empty `tmpfs`. */
export interface Mount {
  source: string;
  target: string;
}

export interface InRoot {
  root: string;
  /** Whether the files of the root are read-only. */
  readOnly: boolean;
  mounts: readonly Mount[];
  env: Record<string, string>;
  workdir: string;
  uid: number;
  gid: number;
  command: readonly string[];
}

// What a container engine adds to an image: a process namespace, a few devices, the host's names. The network
// is that of the machine, as with `--network host`, so that upstreams and the registry can be reached.
const setUp = `
set -eu
root=$1 read_only=$2 mounts=$3
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind /etc/hosts "$root/etc/hosts"
mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
while [ "$mounts" -gt 0 ]; do
  if [ "$1" = tmpfs ] || [ -d "$1" ]; then mkdir -p "$root$2"; else touch "$root$2"; fi
  if [ "$1" = tmpfs ]; then mount -t tmpfs tmpfs "$root$2"; else mount --bind "$1" "$root$2"; fi
  mounts=$((mounts - 1))
  shift 2
done
[ "$read_only" = no ] || mount -o remount,bind,ro "$root"
exec env -i "$@"`;

/** The arguments of `unshare` for a command in a root of its own, as process 1. */
export function isolated(options: InRoot): string[] {
  const { root, readOnly, mounts } = options;
  return [
    ...['--mount', '--propagation', 'private', '--pid', '--fork', '--'],
    ...['sh', '-c', setUp, 'sh', root, readOnly ? 'yes' : 'no', `${mounts.length}`],
    ...mounts.flatMap(({ source, target }) => [source, target]),
    ...[...variables(options.env), 'chroot', `--userspec=${options.uid}:${options.gid}`, '--groups=', root],
    ...['env', '-C', options.workdir, ...options.command],
  ];
}

/** The arguments of `nsenter` for another command beside the process `pid`, as with `docker exec`. */
export function beside(pid: number, options: Omit<InRoot, 'root' | 'readOnly' | 'mounts'>): string[] {
  const { uid, gid, env, workdir, command } = options;
  return [
    ...['--target', `${pid}`, '--mount', '--pid', '--root', '--setuid', `${uid}`, '--setgid', `${gid}`],
    ...['--', 'env', '-i', ...variables(env), 'env', '-C', workdir, ...command],
  ];
}

const variables = (env: Record<string, string>) =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);

/** Why this machine cannot create such roots; undefined if it can. */
export function whyNotHere(): string | undefined {
  if (process.platform !== 'linux') return `it needs Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root: it mounts, and changes its root and user';
  try {
    const trial = 'mount -t tmpfs tmpfs /proc && mount -o remount,bind,ro /proc && chroot / true';
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'sh', '-c', trial], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `this machine does not let it: ${(error as Error).message.trim().split('\n').at(-1)}`;
  }
}
