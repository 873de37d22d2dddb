import { type DocumentNode, type ExecutionArgs, Kind, visit } from 'graphql';
import type { Caller } from '../../access/caller.ts';
import type { Context } from './context.ts';

const numbers = new WeakMap<DocumentNode, { number: number; resumeVariables: Set<string> }>();
let next = 0;

/**
 * Subscriptions with the same key get the same result for the same event: they have the same document (Yoga
 * parses a text once), caller and languages, and their variables differ at most in where they resume.
 */
export function subscriptionKey({ document, operationName, variableValues, contextValue }: ExecutionArgs) {
  const { caller, languages } = contextValue as Context;
  const { number, resumeVariables } = aboutDocument(document);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => !resumeVariables.has(name));
  return JSON.stringify([number, operationName, variables, languages, ...identityOf(caller)]);
}

const identityOf = (caller: Caller) =>
  caller.kind === 'anonymous'
    ? [caller.kind]
    : [caller.issuer, [...caller.scopes].toSorted(), caller.credentials.apiKey];

function aboutDocument(document: DocumentNode) {
  const known = numbers.get(document);
  if (known) return known;
  const fresh = { number: next++, resumeVariables: resumeVariablesOf(document) };
  numbers.set(document, fresh);
  return fresh;
}

/** Variables that are used only as "after" of a subscription's root field. */
function resumeVariablesOf(document: DocumentNode): Set<string> {
  const uses = new Map<string, number>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
  });
  const resume = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== 'subscription') continue;
    for (const field of definition.selectionSet.selections)
      for (const { name, value } of (field.kind === Kind.FIELD && field.arguments) || [])
        if (name.value === 'after' && value.kind === Kind.VARIABLE && uses.get(value.name.value) === 1)
          resume.add(value.name.value);
  }
  return resume;
}
