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
  // Of many types: the test checks each against the API's schema.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  spec: any;
  data?: Record<string, string>;
}

export const directory = join(project, 'deploy/kubernetes');

/** The objects of base as they are written. */
export const baseManifests = (): Manifest[] =>
  globSync('base/*.yaml', { cwd: directory })
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .map((file) => parse(readFileSync(join(directory, file), 'utf8')));

/** What `kubectl kustomize` makes of a folder; undefined on a machine without kubectl. */
export function rendered(folder: string): Manifest[] | undefined {
  try {
    const text = execFileSync('kubectl', ['kustomize', folder], { cwd: project, encoding: 'utf8' });
    // An address of 20 bytes: the reader of Kubernetes takes only numbers of 64 bits as such.
    const customTags = (tags: Tags) => tags.filter((tag) => typeof tag === 'string' || tag.format !== 'HEX');
    return parseAllDocuments(text, { customTags }).map((document) => document.toJS());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
