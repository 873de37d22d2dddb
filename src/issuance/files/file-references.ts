import type { Credentials } from '../../clients/commerce/commerce.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { translateFaults } from '../../model/errors.ts';
import { type FileKey, fileKeyText, uniqueFiles } from '../../model/file.ts';
import type { FlowDeps } from '../flow.ts';
import type { EntryInput, FileRef } from '../input.ts';
import { fileUrls } from '../metadata-document.ts';

/** A file reference and its path. */
export interface PlacedRef {
  ref: FileRef;
  path: string[];
}

/** Every file reference of an entry, with its path below the entry. */
export function referencesOf(entry: EntryInput): PlacedRef[] {
  const { metadata } = entry;
  const references = entry.attachments.map(({ file }, i) => ({
    ref: file,
    path: ['attachments', `${i}`, 'file'],
  }));
  if (metadata) {
    references.push({ ref: metadata.thumbnail, path: ['metadata', 'thumbnail'] });
    references.push({ ref: metadata.image, path: ['metadata', 'image'] });
    const terms = metadata.contractTerms?.file;
    if (terms) references.push({ ref: terms, path: ['metadata', 'contractTerms', 'file'] });
  }
  return references;
}

/** The addresses of files in an entry's JSON document, with their paths below the entry. */
export function documentUrls({ metadataJson }: EntryInput): { path: string[]; url: string }[] {
  if (!isJsonObject(metadataJson)) return [];
  return fileUrls(metadataJson).map(({ path, url }) => ({ path: ['metadataJson', ...path], url }));
}

/** All references and addresses of files in an entry, with their paths below the entry. */
export function filesNamed(entry: EntryInput): PlacedRef[] {
  const urls = documentUrls(entry).map(({ url, path }) => ({
    ref: { kind: 'finalUrl' as const, url },
    path,
  }));
  return [...referencesOf(entry), ...urls];
}

/** The permanent address of each file that was referred to. */
export type UrlOf = (ref: FileRef) => string;

/**
 * Finds the addresses of all named files, in the database or else with one call that signs them for reading, whose
 * answer has the permanent addresses.
 * @param references With paths in the mutation's input.
 * @returns Also those files that the gateway knows, to query their readiness.
 */
export async function fileAddresses(
  deps: Pick<FlowDeps, 'db' | 'files' | 'commerce'>,
  credentials: Credentials,
  references: PlacedRef[],
  signal?: AbortSignal,
): Promise<{ urlOf: UrlOf; files: FileKey[] }> {
  const { issuer } = credentials;
  const keys = references.flatMap(({ ref }) => (ref.kind === 'key' ? [ref.key] : []));
  const urls = references.flatMap(({ ref }) => (ref.kind === 'finalUrl' ? [ref.url] : []));
  const filenames = [...new Set(keys.map((key) => key.filename))];
  const known = await deps.files.find(deps.db, issuer, { filenames, urls });
  const urlByKey = new Map<string, string>();
  const keyByUrl = new Map<string, FileKey>();
  const learn = (key: FileKey, url: string) => {
    urlByKey.set(fileKeyText(key), url);
    keyByUrl.set(url, key);
  };
  for (const { filename, category, finalUrl } of known) learn({ filename, category }, finalUrl);

  const unknown = uniqueFiles(keys).filter((key) => !urlByKey.has(fileKeyText(key)));
  if (unknown.length > 0) {
    const signed = await deps.commerce
      .signedUrls(credentials, 'read', unknown, signal)
      .catch((error: unknown) => {
        throw aboutReferences(error, unknown, references);
      });
    for (const [i, file] of signed.entries()) learn(unknown[i] as FileKey, file.finalUrl);
  }
  return {
    urlOf: (ref) => {
      if (ref.kind === 'finalUrl') return ref.url;
      if (ref.kind === 'ipfs') return ref.reference;
      if (ref.kind === 'unknown') throw new Error('a reference to nothing came through the preflight');
      return urlByKey.get(fileKeyText(ref.key)) as string;
    },
    files: uniqueFiles([...keys, ...urls.flatMap((url) => keyByUrl.get(url) ?? [])]),
  };
}

/** Translates paths of faults from the files of the call to the references. */
const aboutReferences = (error: unknown, files: FileKey[], references: PlacedRef[]): unknown =>
  translateFaults(error, ({ path: [, i] = [], ...fault }) => {
    const file = files[Number(i)];
    const named = references.find(
      ({ ref }) => file && ref.kind === 'key' && fileKeyText(ref.key) === fileKeyText(file),
    );
    return named ? { ...fault, path: named.path } : fault;
  });
