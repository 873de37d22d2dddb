import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, type Tags } from 'yaml';
import { project } from '../_util/gateway-process.ts';

/** An object of the Kubernetes API. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  // Each kind has its own type; the test checks each manifest against the schema of the API.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  spec: any;
  data?: Record<string, string>;
}

export const directory = join(project, 'deploy/kubernetes');

/** The objects in the files of `base`. */
export const baseManifests = (): Manifest[] =>
  globSync('base/*.yaml', { cwd: directory })
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .map((file) => parse(readFileSync(join(directory, file), 'utf8')));

/** The objects that `kubectl kustomize` renders from a folder; undefined on a machine without kubectl. */
export function rendered(folder: string): Manifest[] | undefined {
  try {
    const text = execFileSync('kubectl', ['kustomize', folder], { cwd: project, encoding: 'utf8' });
    // An address of 20 bytes stays text, as in Kubernetes, which reads numbers of up to 64 bits only.
    const customTags = (tags: Tags) => tags.filter((tag) => typeof tag === 'string' || tag.format !== 'HEX');
    return parseAllDocuments(text, { customTags }).map((document) => document.toJS());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
