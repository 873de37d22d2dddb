import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import { metadataMessages } from '../../http/messages.ts';
import {
  integrityHolds,
  loadSchemas,
  type SchemaDocuments,
  type SchemaVersion,
  schemaVersions,
  versionOf,
} from './versions.ts';

export type Metadata = Record<string, unknown>;

/** The vendor's own name for the metadata field `chipUIDs`. */
export function chipAlias(vendorPrefix: string): string {
  return `${vendorPrefix}CertICTagUIDs`;
}

/** The result of a check: the version of valid metadata, or what is wrong with it. */
export type Verdict = { version: SchemaVersion } | { faults: string[] };

/** Most faults of one document: without a limit one document could make a huge answer. */
const mostFaults = 100;

/** Checks metadata against the published schemas, and against the rules that a schema cannot express. */
export class MetadataCheck {
  readonly schemas: SchemaDocuments;
  readonly #validators: Readonly<Record<SchemaVersion, ValidateFunction>>;
  /** The same, but they stop at the first fault. */
  readonly #shortValidators: Readonly<Record<SchemaVersion, ValidateFunction>>;
  readonly #alias: string;
  readonly #bases: () => readonly string[];

  /** `bases`: where `$schema` addresses may point, `{base_url}` and the vendor's own host. */
  constructor(vendorPrefix: string, bases: () => readonly string[]) {
    this.schemas = loadSchemas(vendorPrefix);
    this.#alias = chipAlias(vendorPrefix);
    this.#bases = bases;
    this.#validators = this.#compiled(true);
    this.#shortValidators = this.#compiled(false);
  }

  #compiled(allErrors: boolean): Record<SchemaVersion, ValidateFunction> {
    const ajv = new Ajv({ allErrors, allowUnionTypes: true });
    return Object.fromEntries(
      schemaVersions.map((version) => [version, ajv.compile(this.schemas[version].content)]),
    ) as Record<SchemaVersion, ValidateFunction>;
  }

  /**
   * Returns the version of valid metadata, or its faults in the service's words, at most 100. Attached
   * artwork satisfies the rule that requires digital components, because it is issued as one.
   */
  judge(metadata: Metadata, { artworkAttached }: { artworkAttached: boolean }): Verdict {
    const namedVersion = versionOf(metadata.$schema, this.#bases());
    // For an unknown version only the fields that every version requires can be checked: those of the oldest.
    const version = namedVersion ?? '2.0';
    const faults = this.#schemaFaults(metadata, version, artworkAttached);
    if (namedVersion === undefined) {
      const missing = faults.filter((fault) => fault.startsWith(requiredStart));
      return {
        faults: metadata.$schema === undefined ? missing : [metadataMessages.schemaUnknown, ...missing],
      };
    }
    if (!integrityHolds(metadata.$schemaIntegrity, this.schemas[version]))
      faults.push(metadataMessages.integrityMismatch);
    if (!this.#chipsAgree(metadata)) faults.push(`${this.#alias} must hold the same values as chipUIDs`);
    return faults.length === 0 ? { version } : { faults: faults.slice(0, mostFaults) };
  }

  #schemaFaults(metadata: Metadata, version: SchemaVersion, artworkAttached: boolean): string[] {
    // Otherwise each of a million wrong values would become an error of a few hundred bytes, of which 100 are used.
    const validate = (isLong(metadata) ? this.#shortValidators : this.#validators)[version];
    if (validate(artworkAttached ? { digitalComponents: [], ...metadata } : metadata)) return [];
    const words = (validate.errors as DefinedError[]).map(serviceMessage);
    return [...new Set(words)].filter((fault) => fault !== undefined);
  }

  /** Where both names are present they must hold the same values, in any order. True in every version. */
  #chipsAgree({ chipUIDs: chips, [this.#alias]: aliased }: Metadata): boolean {
    // The schema refuses a value that is not a list.
    if (!Array.isArray(chips) || !Array.isArray(aliased)) return true;
    const [namedVersion, same] = [new Set(chips), new Set(aliased)];
    return namedVersion.size === same.size && [...namedVersion].every((chip) => same.has(chip));
  }
}

const requiredStart = metadataMessages.required('').slice(0, -1);

/** The service's message for an error of the validator; `undefined` for one that only sums up others. */
function serviceMessage(error: DefinedError): string | undefined {
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  const prefixed = (words: string) => (at === '' ? words : `${at} ${words}`);
  switch (error.keyword) {
    case 'required':
    case 'dependencies':
      return prefixed(metadataMessages.required(error.params.missingProperty));
    case 'additionalProperties':
      return prefixed(metadataMessages.additional);
    case 'enum':
      return prefixed(metadataMessages.notAllowed);
    case 'minimum':
    case 'maximum':
      return metadataMessages.royaltyOutOfRange;
    case 'if':
      return undefined;
    default:
      return prefixed(error.message ?? `breaks the rule ${error.keyword}`);
  }
}

/** Up to this many values, all faults of a document are reported. Real documents have a hundred. */
const manyValues = 10_000;

/** Iterative, because a document may also be deep. */
function isLong(metadata: Metadata): boolean {
  const values: unknown[] = [metadata];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of Object.values(value)) {
      if (values.length > manyValues) return true;
      values.push(inner);
    }
  }
  return false;
}
