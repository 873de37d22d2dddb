import { type DocumentNode, type ExecutionArgs, type ExecutionResult, Kind, visit } from 'graphql';
import type { Caller } from '../../access/caller.ts';
import type { Context } from './context.ts';

interface Run {
  result: Promise<ExecutionResult>;
  abort: AbortController;
  /** Subscriptions that wait for the result. */
  waiting: number;
}

type Execute = (signal: AbortSignal) => Promise<ExecutionResult>;

/**
 * Executes an event once for all subscriptions with the same key. The result is kept as long as somebody
 * still has to take the event. An execution is aborted when the last one that waits for it leaves.
 */
export function eventCoalescing() {
  const runs = new WeakMap<object, Map<string, Run>>();

  const runOf = (event: object, key: string, execute: Execute): Run => {
    const ofEvent = runs.get(event) ?? new Map<string, Run>();
    runs.set(event, ofEvent);
    const known = ofEvent.get(key);
    // A run that was aborted when its last subscriber left has no result for the next one.
    if (known && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    const run = { result: execute(abort.signal), abort, waiting: 0 };
    ofEvent.set(key, run);
    return run;
  };

  /** For one subscription, which takes one event after the other until `signal` aborts. */
  return (key: string, signal: AbortSignal) => {
    let current: Run | undefined;
    // One listener for all events: adding one for each event would cost more than everything else here.
    signal.addEventListener('abort', () => {
      if (current && --current.waiting === 0) current.abort.abort(signal.reason);
    });
    return async (event: object, execute: Execute): Promise<ExecutionResult> => {
      // Counted after its abort it would never be counted out, and the execution would outlive the others.
      signal.throwIfAborted();
      current = runOf(event, key, execute);
      current.waiting++;
      try {
        return await current.result;
      } finally {
        current = undefined;
      }
    };
  };
}

const documents = new WeakMap<DocumentNode, { number: number; resuming: Set<string> }>();
let nextNumber = 0;

/**
 * Subscriptions with the same key get the same result for the same event: they have the same document (Yoga
 * parses a text once), caller and languages, and their variables differ at most in where they resume.
 */
export function subscriptionKey({ document, operationName, variableValues, contextValue }: ExecutionArgs) {
  const { caller, languages } = contextValue as Context;
  const numbered = documents.get(document) ?? { number: nextNumber++, resuming: resumeVariables(document) };
  documents.set(document, numbered);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => !numbered.resuming.has(name));
  return JSON.stringify([numbered.number, operationName, variables, languages, ...identityOf(caller)]);
}

const identityOf = (caller: Caller) =>
  caller.kind === 'anonymous'
    ? [caller.kind]
    : [caller.issuer, [...caller.scopes].toSorted(), caller.credentials.apiKey];

/** Variables that are used only as "after" of a subscription's root field. */
function resumeVariables(document: DocumentNode): Set<string> {
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
