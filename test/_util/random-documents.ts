import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { SeededRandom } from './seeded-random.ts';

/** A document with its variables. */
export interface RandomRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string;
}

/** Values for arguments, by the name of the argument or its type. */
export type ArgumentPool = Record<string, readonly unknown[]>;

/** Root fields whose result does not depend on the caller. */
const roots = ['srr', 'srrs', 'licensedUser', 'licensedUsers', 'collection', 'collections', '__typename'];
const maxDepth = 7;

/**
 * Generates random queries of public records with aliases, repeated fields, inline and named fragments,
 * directives, and valid and invalid arguments, as literals and as variables.
 */
export class RandomDocuments {
  readonly #schema: GraphQLSchema;
  readonly #random: SeededRandom;
  readonly #pool: ArgumentPool;
  #variables: { name: string; type: string; value: unknown; otherwise: string }[] = [];
  #fragments: string[] = [];

  constructor(schema: GraphQLSchema, random: SeededRandom, pool: ArgumentPool) {
    this.#schema = schema;
    this.#random = random;
    this.#pool = pool;
  }

  next(): RandomRequest {
    this.#variables = [];
    this.#fragments = [];
    const type = this.#schema.getQueryType() as GraphQLObjectType;
    const count = this.#random.integer(1, 2);
    const fields = Array.from({ length: count }, () => {
      const name = this.#random.pick(roots);
      const field = type.getFields()[name];
      return field ? this.#field(field, 1) : name;
    });
    const declared = this.#variables
      .map(({ name, type, otherwise }) => `$${name}: ${type}${otherwise}`)
      .join(', ');
    const operation = `query Random${declared && ` (${declared})`} { ${this.#aliased(fields)} }`;
    const several = this.#random.chance(0.1);
    return {
      query: [operation, ...(several ? ['query Other { __typename }'] : []), ...this.#fragments].join('\n'),
      variables: Object.fromEntries(this.#variables.map(({ name, value }) => [name, value])),
      ...(several && { operationName: 'Random' }),
    };
  }

  /** Fields with the same name but other arguments would conflict, so some fields get an alias. */
  #aliased(fields: string[]): string {
    return fields.map((field, i) => (field.startsWith('__') ? field : `r${i}: ${field}`)).join(' ');
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type);
    const below =
      isObjectType(type) || isInterfaceType(type) ? ` { ${this.#selection(type, depth + 1)} }` : '';
    return `${field.name}${this.#arguments(field)}${this.#directive()}${below}`;
  }

  #selection(type: ReturnType<typeof getNamedType>, depth: number): string {
    if (!isObjectType(type)) return '__typename';
    const fields = Object.values(type.getFields());
    const leaves = fields.filter(
      (field) => !isObjectType(getNamedType(field.type)) && !isInterfaceType(getNamedType(field.type)),
    );
    const parts: string[] = [];
    const wanted = this.#random.integer(1, 4);
    for (let i = 0; i < wanted; i++) {
      const from = depth >= maxDepth ? leaves : fields;
      if (from.length === 0) break;
      const field = this.#random.pick(from);
      const text = this.#field(field, depth);
      const named = field.args.length > 0 || this.#random.chance(0.3) ? `a${depth}x${i}: ${text}` : text;
      parts.push(this.#wrapped(named, type, depth));
    }
    // A connection is only useful with its rows.
    const edges = type.getFields().edges;
    if (edges && depth < maxDepth) parts.push(this.#field(edges, depth));
    const node = type.name.endsWith('Edge') ? type.getFields().node : undefined;
    if (node && depth < maxDepth) parts.push(this.#field(node, depth));
    return parts.join(' ') || '__typename';
  }

  #wrapped(field: string, type: GraphQLObjectType, depth: number): string {
    if (this.#random.chance(0.1)) return `... on ${type.name}${this.#directive()} { ${field} }`;
    if (this.#random.chance(0.05)) return `...${this.#directive()} { ${field} }`;
    if (!this.#random.chance(0.1)) return field;
    const name = `F${this.#fragments.length}x${depth}`;
    this.#fragments.push(`fragment ${name} on ${type.name} { ${field} }`);
    return `...${name}${this.#directive()}`;
  }

  #directive(): string {
    if (!this.#random.chance(0.08)) return '';
    const name = this.#random.pick(['skip', 'include']);
    const value = this.#random.chance(0.5);
    return ` @${name}(if: ${this.#random.chance(0.5) ? this.#condition(value) : value})`;
  }

  /** A variable with a default may be nullable; a null is then refused where the variable is used. */
  #condition(value: boolean): string {
    if (this.#random.chance(0.7)) return this.#variable('Boolean!', value);
    const name = `v${this.#variables.length}`;
    const given = this.#random.pick([value, undefined, null]);
    this.#variables.push({ name, type: 'Boolean', value: given, otherwise: ` = ${!value}` });
    return `$${name}`;
  }

  #variable(type: string, value: unknown, written = JSON.stringify(value)): string {
    const name = `v${this.#variables.length}`;
    const given = !this.#random.chance(0.1);
    // A variable without value and default is refused where it is required, and absent elsewhere.
    const otherwise = !given && value !== null && this.#random.chance(0.7) ? ` = ${written}` : '';
    this.#variables.push({ name, type, value: given ? value : undefined, otherwise });
    return `$${name}`;
  }

  #arguments(field: GraphQLField<unknown, unknown>): string {
    const given = field.args.flatMap((argument) => {
      const type = String(argument.type);
      const required = type.endsWith('!');
      if (!required && !this.#random.chance(0.4)) return [];
      const named = getNamedType(argument.type);
      const values =
        this.#pool[`${field.name}.${argument.name}`] ??
        this.#pool[argument.name] ??
        (isEnumType(named) ? named.getValues().map(({ name }) => name) : undefined);
      if (!values) return [];
      const value = this.#random.pick(values);
      const written = isEnumType(named) ? String(value) : literal(value);
      return [
        `${argument.name}: ${this.#random.chance(0.4) ? written : this.#variable(type, value, written)}`,
      ];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }
}

/** A value as a literal of a document. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, one]) => `${name}: ${literal(one)}`);
  return `{ ${fields.join(', ')} }`;
}
