import { isJsonObject } from '../../lib/json-object.ts';
import type { EntryInput } from '../input.ts';
import type { DocumentNames } from '../metadata-document.ts';
import { contextOf, typedDocument } from './entry-document.ts';
import {
  type Document,
  documentAsSent,
  type EntryContext,
  faultsOfCaller,
  type SchemaVersion,
  schemaFaults,
  shippedVersionOf,
  versionNamed,
  versionNumbered,
} from './metadata-schema.ts';
import type { DocumentFault } from './schema-messages.ts';
import type { PreflightSources } from './sources.ts';

/** The result of validating an entry's metadata by its fetched schema. */
export interface SchemaResult {
  /** The faults, or the shipped version that the schema equals. Undefined when the schema cannot be used. */
  by: DocumentFault[] | SchemaVersion | undefined;
  /** Every valid `$schemaIntegrity` of the schema. */
  digests: readonly string[];
}

/** The faults by the fetched schema, or else by the shipped schema of the version; none without either. */
export function documentFaults(
  document: Document,
  named: SchemaVersion | 'elsewhere',
  context: EntryContext,
  result: SchemaResult | undefined,
): DocumentFault[] {
  if (Array.isArray(result?.by)) return result.by;
  const version = result?.by ?? named;
  return version === 'elsewhere' ? [] : schemaFaults(document, version, context);
}

interface Named {
  entry: EntryInput;
  schema: string;
  document: Document;
  context: EntryContext;
}

/**
 * Fetches the schemas that the entries name, each once, and applies those that differ from the shipped ones.
 */
export async function fetchSchemaResults(
  { schemas, schemaValidator }: Pick<PreflightSources, 'schemas' | 'schemaValidator'>,
  names: DocumentNames,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<Map<EntryInput, SchemaResult>> {
  const named = entries.flatMap((entry) => namedIn(entry, names) ?? []);
  const results = new Map<EntryInput, SchemaResult>();
  const groups = Map.groupBy(named, ({ schema }) => schema);
  await Promise.all(
    [...groups].slice(0, maxSchemas).map(async ([schema, group]) => {
      const fetched = await schemas.read(schema, signal);
      if (!fetched) return;
      const { text, digests } = fetched;
      const version = shippedVersionOf(text, names.vendorPrefix);
      const sent = group.map(({ document, context }) => documentAsSent(document, context));
      const faults = version ? undefined : await schemaValidator.faultsOf(text, sent);
      for (const [i, { entry, document }] of group.entries()) {
        const found = faults?.[i];
        const own = found && faultsOfCaller(document, found);
        results.set(entry, { by: version ?? own, digests });
      }
    }),
  );
  return results;
}

/** An honest call names one or two versions. The limit keeps one call from causing many requests. */
const maxSchemas = 5;

function namedIn(entry: EntryInput, names: DocumentNames): Named | undefined {
  const { metadata, metadataJson } = entry;
  if (metadata && metadataJson !== undefined) return undefined;
  const context = contextOf(entry, names.vendorPrefix);
  if (metadata && !versionNumbered(metadata.schemaVersion)) return undefined;
  const document = metadata ? typedDocument(metadata, context, names.baseUrl) : metadataJson;
  if (!isJsonObject(document)) return undefined;
  const { $schema: schema } = document;
  if (typeof schema !== 'string' || !versionNamed(schema)) return undefined;
  return { entry, schema, document, context };
}
