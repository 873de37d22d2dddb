import type { FileCategory } from '../../clients/commerce/commerce.ts';
import type { Fault } from '../../model/errors.ts';
import { filenameFaults } from '../../model/filename.ts';
import { referencesOf } from '../file-references.ts';
import type { EntryInput, FileRef } from '../input.ts';
import { fileUrls } from '../metadata-document.ts';
import { noUpload, privacyFaults, urlFaults } from './file-rules.ts';

type CategoryOf = (url: string) => FileCategory | undefined;

/** Checks the files that the metadata shows. */
export function metadataFileFaults(entry: EntryInput, { categoryOf }: { categoryOf: CategoryOf }): Fault[] {
  return [
    ...typedReferences(entry).flatMap(({ ref, path }) => referenceFaults(ref, path, categoryOf)),
    ...documentUrls(entry).flatMap(({ url, path }) => [
      ...urlFaults(url, path),
      ...privacyFaults(categoryOf(url), path),
    ]),
  ];
}

/** Everything in an entry that names a file, with its path below the entry. */
export function filesNamed(entry: EntryInput): { ref: FileRef; path: string[] }[] {
  const urls = documentUrls(entry).map(({ url, path }) => ({
    ref: { kind: 'finalUrl' as const, url },
    path,
  }));
  return [...referencesOf(entry), ...urls];
}

const typedReferences = (entry: EntryInput) =>
  referencesOf(entry).filter(({ path }) => path[0] === 'metadata');

function documentUrls({ metadataJson }: EntryInput): { path: string[]; url: string }[] {
  if (typeof metadataJson !== 'object' || metadataJson === null) return [];
  return fileUrls(metadataJson as Record<string, unknown>).map(({ path, url }) => ({
    path: ['metadataJson', ...path],
    url,
  }));
}

function referenceFaults(ref: FileRef, path: string[], categoryOf: CategoryOf): Fault[] {
  switch (ref.kind) {
    case 'unknown':
      return [noUpload(path)];
    case 'ipfs':
      return urlFaults(ref.reference, path);
    case 'finalUrl':
      return [...urlFaults(ref.url, path), ...privacyFaults(categoryOf(ref.url), path)];
    case 'key':
      return [...filenameFaults(ref.key.filename, path), ...privacyFaults(ref.key.category, path)];
  }
}
