import type { Address } from '@srr-gateway/common/address';
import type { Commerce, Credentials } from '../../clients/commerce/commerce.ts';
import type { Fault } from '../../model/errors.ts';
import type { FileKey } from '../../model/file.ts';
import type { Db } from '../../store/store.ts';
import { filesNamed } from '../files/file-references.ts';
import type { Files } from '../flow.ts';
import type { EntryInput } from '../input.ts';
import type { DocumentNames } from '../metadata-document.ts';
import { atEntry, type CheckContext, checkEntries, entryFaults } from './check-entries.ts';
import { checkFiles } from './check-files.ts';
import { checkInSubgraph } from './check-in-subgraph.ts';
import { limitFaults } from './limit-faults.ts';
import { metadataWarnings } from './metadata-warnings.ts';
import { fetchSchemaResults } from './schema-results.ts';
import type { PreflightSources } from './sources.ts';

/** Dependencies of the preflight. */
export interface PreflightDeps {
  db: Db;
  files: Pick<Files, 'find'>;
  names: DocumentNames;
  commerce: Pick<Commerce, 'fileMetadata'>;
  preflight: PreflightSources;
}

/** The faults of the entries. If there are any, the call is refused before anything is stored or sent. */
export async function preflight(
  deps: PreflightDeps,
  issuer: Address,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<Fault[]> {
  return checkEntries(entries, (await checkContext(deps, issuer, entries, signal)).context);
}

/** Result of a dry run. */
export interface DryRunReport {
  /** Faults for which the gateway would refuse the entries at once, or the service later. */
  faults: Fault[];
  /** Probable mistakes, and what could not be checked. */
  warnings: Fault[];
}

/**
 * Checks entries as far as possible without issuing them: the checks of `preflight`, people and collections
 * in the subgraph, files at the service. Asks all sources at once.
 */
export async function dryRun(
  deps: PreflightDeps,
  credentials: Credentials,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<DryRunReport> {
  const { context, files } = await checkContext(deps, credentials.issuer, entries, signal);
  if (entries.length === 0) return { faults: checkEntries(entries, context), warnings: [] };
  const faults = entryFaults(entries, context);
  const [subgraph, stored] = await Promise.all([
    checkInSubgraph(deps.preflight, credentials.issuer, entries, signal),
    checkFiles({ ...deps, keyOf: (url) => files.get(url) }, { credentials, entries, faults }, signal),
  ]);
  const ofEntries = (...lists: Fault[][][]) =>
    entries.map((entry, i) => lists.flatMap((list) => list[i] ?? []).map(atEntry(entry, i)));
  const looks = [subgraph, stored];
  const mistakes = entries.map((entry) => metadataWarnings(entry, context.schemaResults?.get(entry)));
  return {
    faults: [
      ...looks.flatMap(({ ofAll }) => ofAll.faults),
      ...limitFaults(ofEntries(subgraph.faults).map((more, i) => [...(faults[i] ?? []), ...more])),
      // Limited separately: before the upload every file is missing, and hundreds of these would hide the rest.
      ...limitFaults(ofEntries(stored.faults), 'missing files', 'FILE_NOT_FOUND'),
    ],
    warnings: [
      ...looks.flatMap(({ ofAll }) => ofAll.warnings),
      ...limitFaults(ofEntries(mistakes, ...looks.map(({ warnings }) => warnings)), 'warnings'),
    ],
  };
}

async function checkContext(
  { db, files: stored, names, preflight: sources }: PreflightDeps,
  issuer: Address,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<{ context: CheckContext; files: ReadonlyMap<string, FileKey> }> {
  const urls = entries.flatMap((entry) =>
    filesNamed(entry).flatMap(({ ref }) => (ref.kind === 'finalUrl' ? [ref.url] : [])),
  );
  const [found, schemaResults] = await Promise.all([
    stored.find(db, issuer, { urls }),
    fetchSchemaResults(sources, names, entries, signal),
  ]);
  const files = new Map(found.map((file) => [file.finalUrl, file]));
  const categoryOf = (url: string) => files.get(url)?.category;
  return { context: { vendorPrefix: names.vendorPrefix, categoryOf, schemaResults }, files };
}
