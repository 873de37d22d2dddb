import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { project } from '../gateway-process.ts';
import type { RunOptions } from './container.ts';

/** The parts of a service that a machine without a container engine can run. */
export interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test?: string[] };
  read_only?: boolean;
  [key: string]: unknown;
}

export interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

/** The compose.yaml of the project. */
export const readCompose = (): Compose =>
  parse(readFileSync(join(project, 'compose.yaml'), 'utf8'), { merge: true });

/** Options to run a service: its settings with `here` applied to each text, and volumes in `directory`. */
export async function runOptions(
  { environment = {}, volumes = [], command }: Service,
  directory: string,
  here: (text: string) => string,
): Promise<Pick<RunOptions, 'env' | 'mounts'> & { command?: string[] }> {
  const mounts = [];
  for (const volume of volumes) {
    const [source = '', target = ''] = volume.split(':');
    const path = source.startsWith('./') ? join(project, source) : join(directory, source);
    if (!source.startsWith('./')) await mkdir(path, { recursive: true });
    mounts.push({ source: path, target });
  }
  const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)]));
  return { env, mounts, ...(command && { command }) };
}
