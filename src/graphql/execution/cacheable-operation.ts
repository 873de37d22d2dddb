import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

/** Root fields that show the same to everybody until the next block. */
const ofTheBlock = new Set(['srr', 'srrs', 'licensedUser', 'collection', 'collections']);
/** Root fields that read no source. */
const ofTheSchema = new Set(['__typename', '__schema', '__type']);
/** The one field below them that shows an issuer something that others do not see. */
const ofTheCaller = 'issuance';

/** A query that reads public fields only. */
export interface PublicRead {
  number: number;
  /** Whether it reads any source. */
  reads: boolean;
  /** Whether it has the field that is null for everybody but one issuer. */
  personal: boolean;
}

/**
 * Recognises public reads and numbers them. The number stands for the text: Yoga parses equal texts only
 * once.
 */
export function publicReads() {
  const known = new WeakMap<DocumentNode, Map<string, PublicRead | undefined>>();
  let next = 0;
  return (document: DocumentNode, operationName: string | null | undefined): PublicRead | undefined => {
    const name = operationName ?? '';
    const operations = known.get(document) ?? new Map<string, PublicRead | undefined>();
    known.set(document, operations);
    if (!operations.has(name)) {
      const operation = getOperationAST(document, operationName);
      const fields = operation?.operation === 'query' ? rootFields(document, operation) : undefined;
      const isPublic = fields?.every((field) => ofTheBlock.has(field) || ofTheSchema.has(field));
      const reads = !fields?.every((field) => ofTheSchema.has(field));
      const read = () => ({ number: next++, reads, personal: asksFor(ofTheCaller, document) });
      operations.set(name, isPublic ? read() : undefined);
    }
    return operations.get(name);
  };
}

/** The names of an operation's root fields in the schema, repeated as often as they are selected. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): string[] {
  const fieldsOf = ({ selections }: SelectionSetNode): string[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value;
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet);
      const fragment = document.definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
      );
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(fragment.selectionSet) : [];
    });
  return fieldsOf(operation.selectionSet);
}

function asksFor(name: string, document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field(field) {
      found ||= field.name.value === name;
    },
  });
  return found;
}
