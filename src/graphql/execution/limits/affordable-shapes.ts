import { type DocumentNode, type GraphQLSchema, isLeafType, Kind, type TypeNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Characters of all cached shapes: ten thousand operations with a few variables each. */
const maxCharacters = 1_000_000;

interface Known {
  number: number;
  /** Variables whose text values do not change the cost. */
  plain: ReadonlySet<string>;
}

/**
 * Remembers operations whose cost is within the limit, so that it is not counted each time. The cost depends
 * on the document, and on the numbers and the structure in its variables. Texts matter only where a global id
 * may be, because a bad id is refused while the cost is counted.
 */
export class AffordableShapes {
  readonly #known = new WeakMap<DocumentNode, Known>();
  #next = 0;
  readonly #schema: GraphQLSchema;
  readonly #shapes = new LRUCache<string, true>({
    maxSize: maxCharacters,
    sizeCalculation: (_, shape) => shape.length,
  });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The same text only for operations of equal cost. Yoga returns the same document for the same text. */
  shapeOf(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Record<string, unknown>,
  ): string {
    const { number, plain } = this.#knownOf(document);
    const shapes = Object.entries(variables).map(([name, value]) => [
      name,
      plain.has(name) ? JSON.stringify(value, withoutTexts) : JSON.stringify(value),
    ]);
    return JSON.stringify([number, operationName, shapes]);
  }

  has(shape: string): boolean {
    return this.#shapes.get(shape) ?? false;
  }

  add(shape: string): void {
    this.#shapes.set(shape, true);
  }

  #knownOf(document: DocumentNode): Known {
    const known = this.#known.get(document) ?? { number: this.#next++, plain: this.#plainOf(document) };
    this.#known.set(document, known);
    return known;
  }

  /** A variable counts only if every operation that declares its name gives it such a type. */
  #plainOf({ definitions }: DocumentNode): Set<string> {
    const declared = definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION ? (one.variableDefinitions ?? []) : [],
    );
    const plain = new Set(declared.map(({ variable }) => variable.name.value));
    for (const { variable, type } of declared)
      if (!this.#isPlain(namedType(type))) plain.delete(variable.name.value);
    return plain;
  }

  #isPlain(type: string): boolean {
    return isLeafType(this.#schema.getType(type)) && type !== 'ID';
  }
}

const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

const withoutTexts = (_name: string, value: unknown) => (typeof value === 'string' ? '' : value);
