import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { publicReads } from './cacheable-operation.ts';
import type { Context } from './context.ts';
import type { PendingContext } from './pending-answer.ts';
import type { Holds } from './response-cache.ts';
import { execute } from './straight-execution.ts';

interface Executed {
  result: ExecutionResult;
  /** Set when the result cannot get better at its block: no errors, and all metadata present. */
  final?: { holds: Holds; text: string } | undefined;
  /** Whether an issuer may get a different result. */
  personal: boolean;
}

/**
 * Coalesces public reads: executes equal ones that run at the same time once, and says whether their
 * responses may be cached. Readers share an execution only when it began at the same state of the subgraph,
 * so that nobody who asks after a new block or a webhook gets what was read before it. It is executed for
 * nobody: an issuer whose result may differ executes it again for itself.
 */
export function sharedReads(forAll: (context: Context, signal: AbortSignal) => Context): Plugin<Context> {
  const running = createSingleFlight<Executed>();
  const reads = publicReads();
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, variableValues } = args;
      const context = args.contextValue as Context & PendingContext;
      const isIssuer = context.caller.kind === 'issuer';
      const read = reads(document, operationName);
      if (!read || (isIssuer && read.personal)) return;
      const { languages, signal, fresh, pending } = context;
      const question = JSON.stringify([read.number, variableValues, languages]);
      setExecuteFn(async (args: ExecutionArgs) => {
        const { result, final, personal } = await running.join(
          // The question begins with a bracket, which no `moment()` has, so the two cannot be confused.
          fresh.reads.moment() + question,
          // The reader that started it may leave while others wait, so nothing of its own context is used.
          (live) => executed({ ...args, contextValue: forAll(context, live) }, read.reads),
          signal,
        );
        if (isIssuer && personal) return executeFn(args);
        if (final) pending?.executed(final.holds, final.text);
        return result;
      });
    },
  };
}

async function executed(args: ExecutionArgs & { contextValue: Context }, reads: boolean): Promise<Executed> {
  const result = await execute(args);
  const {
    personal,
    reads: { block, settled },
  } = args.contextValue.fresh;
  const holds = holdsAt(reads, block?.hash);
  if (result.errors || !settled || !holds) return { result, personal };
  const text = JSON.stringify(result);
  // Yoga calls `stringify` when a result has it, so that the text is made only once.
  return {
    result: Object.assign({ ...result }, { stringify: () => text }),
    final: { holds, text },
    personal,
  };
}

function holdsAt(reads: boolean, hash: string | undefined): Holds | undefined {
  if (!reads) return 'for ever';
  return hash === undefined ? undefined : { block: hash };
}
