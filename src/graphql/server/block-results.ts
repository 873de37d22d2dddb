import {
  type DocumentNode,
  type ExecutionResult,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';

/** Characters of all answers that are kept: some thousand pages of records. */
const maxCharacters = 64_000_000;
/** A question that is itself long is seldom asked twice. */
const maxKeyCharacters = 20_000;

/** Root fields that show the same to everybody as long as the block does not move. */
const publicFields = new Set(['srr', 'srrs', 'licensedUser', 'collection', 'collections', '__typename']);

/**
 * Keeps whole answers to anonymous reads of the catalog, as the text that is sent, while the index stays at
 * its block. Only answers that can get no better are kept: without an error, and with all their metadata.
 */
export function blockResults(): Plugin<Context> {
  const texts = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (text) => text.length,
  });
  const documents = documentNumbers();
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { document, operationName, variableValues } = args;
      const { caller, languages, fresh } = args.contextValue as Context;
      if (caller.kind !== 'anonymous') return undefined;
      const number = documents(document, operationName);
      if (number === undefined) return undefined;
      const question = JSON.stringify([number, operationName, variableValues, languages]);
      if (question.length > maxKeyCharacters) return undefined;
      const head = fresh.reads.head()?.hash;
      const known = head && texts.get(head + question);
      if (known) return void setResultAndStopExecution(asText({}, known));
      return {
        onExecuteDone({ result, setResult }) {
          const hash = fresh.reads.block?.hash;
          if (!hash || Symbol.asyncIterator in result || result.errors || !fresh.reads.settled) return;
          const text = JSON.stringify(result);
          texts.set(hash + question, text);
          setResult(asText(result, text));
        },
      };
    },
  };
}

/** Yoga sends what `stringify` gives. */
function asText(result: ExecutionResult, text: string): ExecutionResult {
  return Object.assign({ ...result }, { stringify: () => text });
}

/** A number for each document that reads nothing but public fields; Yoga parses the same text only once. */
function documentNumbers() {
  const numbers = new WeakMap<DocumentNode, Map<string, number | undefined>>();
  let next = 0;
  return (document: DocumentNode, operationName: string | null | undefined): number | undefined => {
    const name = operationName ?? '';
    const known = numbers.get(document) ?? new Map<string, number | undefined>();
    numbers.set(document, known);
    if (!known.has(name)) known.set(name, isPublicRead(document, operationName) ? next++ : undefined);
    return known.get(name);
  };
}

function isPublicRead(document: DocumentNode, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query') return false;
  const rootFields = ({ selections }: SelectionSetNode): string[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value;
      if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(selection.selectionSet);
      const fragment = document.definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
      );
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootFields(fragment.selectionSet) : [];
    });
  return rootFields(operation.selectionSet).every((field) => publicFields.has(field));
}
