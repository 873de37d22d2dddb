import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { basename, join, posix, relative } from 'node:path';
import { promisify } from 'node:util';
import { fillBase } from './base-image.ts';
import type { BuildContext } from './build-context.ts';
import { parseDockerfile, type Step } from './dockerfile.ts';
import { isolated, type Mount } from './namespaces.ts';

const run = promisify(execFile);

/** A root file system, and how a program runs in it. */
export interface Image {
  root: string;
  /** The root of its base image, before the first step. */
  base: string;
  env: Record<string, string>;
  workdir: string;
  user: { uid: number; gid: number; home: string };
  volumes: string[];
  ports: number[];
  stopSignal: NodeJS.Signals;
  healthcheck: string[];
  command: string[];
}

/** Mounts and variables that RUN steps get in addition to their root, and that no image keeps. */
export interface Lent {
  mounts: Mount[];
  env: Record<string, string>;
}

/** The only supported base image, with any digest: its files come from this machine. */
const baseName = /^node:24[\d.]*-slim@sha256:[0-9a-f]{64}$/;
/** The time limit for a step, which allows for an `npm ci` with a slow registry. */
const stepMs = 5 * 60_000;

/** The image of the last stage, which is the default target. */
export interface Images {
  gateway: Image;
  /** The images of all stages with a name. */
  byTarget: Map<string, Image>;
}

/** Runs the steps of the Dockerfile one by one, with a root for each stage under `directory`. */
export async function buildImages(directory: string, context: BuildContext, lent: Lent): Promise<Images> {
  const base = join(directory, 'base');
  await mkdir(base, { recursive: true });
  const { env } = await fillBase(base);
  const fresh: Image = {
    root: base,
    base,
    env,
    workdir: '/',
    user: userOf(base, 'root'),
    volumes: [],
    ports: [],
    stopSignal: 'SIGTERM',
    healthcheck: [],
    command: [],
  };
  const scratch = { ...fresh, root: join(directory, 'scratch') };
  await mkdir(scratch.root);
  const built = new Map([['scratch', scratch]]);
  let image: Image | undefined;
  const stages = parseDockerfile(readFileSync(join(context.directory, 'Dockerfile'), 'utf8'));
  for (const [i, stage] of stages.entries()) {
    const below = built.get(stage.base) ?? (baseName.test(stage.base) ? fresh : undefined);
    if (!below) throw new Error(`The test has an image of ${baseName}, not ${stage.base}.`);
    image = { ...structuredClone(below), root: join(directory, `stage-${i}`) };
    await run('cp', ['-a', below.root, image.root]);
    for (const step of stage.steps) await takeStep(image, step, { context, built, lent });
    if (stage.name !== undefined) built.set(stage.name, image);
  }
  if (!image) throw new Error('The Dockerfile has no stage.');
  return { gateway: image, byTarget: built };
}

interface Surroundings {
  context: BuildContext;
  built: Map<string, Image>;
  lent: Lent;
}

async function takeStep(image: Image, step: Step, { context, built, lent }: Surroundings): Promise<void> {
  switch (step.kind) {
    case 'WORKDIR':
      image.workdir = posix.resolve(image.workdir, step.path);
      await mkdir(join(image.root, image.workdir), { recursive: true });
      return;
    case 'ENV':
      Object.assign(image.env, step.variables);
      return;
    case 'RUN':
      return runStep(image, step.command, lent);
    case 'COPY':
      return step.from === undefined
        ? copy(image, step, context.directory, context.includes)
        : copy(image, step, stageNamed(built, step.from).root, () => true);
    case 'USER':
      image.user = userOf(image.root, step.name);
      return;
    case 'VOLUME':
      image.volumes.push(step.path);
      return;
    case 'EXPOSE':
      image.ports.push(step.port);
      return;
    case 'STOPSIGNAL':
      image.stopSignal = step.signal;
      return;
    case 'HEALTHCHECK':
      image.healthcheck = step.command;
      return;
    case 'CMD':
      image.command = step.command;
  }
}

async function runStep({ root, env, workdir, user }: Image, command: string[], lent: Lent): Promise<void> {
  const { uid, gid, home } = user;
  const all = { HOME: home, ...env, ...lent.env };
  const parameters = isolated({
    root,
    readOnly: false,
    mounts: lent.mounts,
    env: all,
    workdir,
    uid,
    gid,
    command,
  });
  await run('unshare', parameters, { timeout: stepMs }).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`RUN ${command.at(-1)} failed:\n${stdout}${stderr}`, { cause: error });
  });
}

/** Copies the content of a folder to the target, or each of several sources into the target. */
async function copy(
  image: Image,
  { sources, to }: { sources: string[]; to: string },
  from: string,
  includes: (path: string) => boolean,
): Promise<void> {
  const target = join(image.root, posix.resolve(image.workdir, to));
  for (const source of sources) {
    const path = join(from, source);
    if (!existsSync(path) || !includes(relative(from, path)))
      throw new Error(`COPY ${source}: there is no such file, or .dockerignore leaves it out`);
    await cp(path, to.endsWith('/') ? join(target, basename(source)) : target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (one) => includes(relative(from, one)),
    });
  }
  // Copied files belong to root, whoever owns the checkout.
  await run('chown', ['-R', '-h', '0:0', target]);
}

function stageNamed(built: Map<string, Image>, name: string): Image {
  const stage = built.get(name);
  if (!stage) throw new Error(`COPY --from=${name}: no stage before it has this name`);
  return stage;
}

function userOf(root: string, name: string): Image['user'] {
  const lines = readFileSync(join(root, 'etc/passwd'), 'utf8').split('\n');
  const [, , uid, gid, , home] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  if (home === undefined) throw new Error(`USER ${name}: the image has no such user`);
  return { uid: Number(uid), gid: Number(gid), home };
}

/** The paths that an image adds to its base, without those below a new folder. */
export async function addedTo(image: Image, folder = '.'): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(image.root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!existsSync(join(image.base, path))) found.push(path);
    else if (entry.isDirectory()) found.push(...(await addedTo(image, path)));
  }
  return found.toSorted();
}
