import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { createSingleFlight } from '../../lib/single-flight.ts';
import type { Context } from '../context.ts';
import type { Holds } from './kept-answers.ts';
import type { PendingContext } from './pending-answer.ts';
import { publicReads } from './public-read.ts';
import { execute } from './straight-execution.ts';

interface Executed {
  result: ExecutionResult;
  /** Of an answer that can get no better at its block: without an error, and with all its metadata. */
  final?: { holds: Holds; text: string } | undefined;
  /** Whether an issuer may be shown something else. */
  personal: boolean;
}

/**
 * Executes public reads of the catalog once for all who ask the same at the same time, and says of their
 * answers whether they may be kept. Readers share only what began at the same moment of the index, so that
 * nobody who asks after a new block or a webhook is given what was read before it. It is executed for nobody:
 * an issuer whose answer may be another executes it once more, with all that is its own.
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
          // The parts of a question are no hash, and no number either.
          fresh.reads.moment() + question,
          // The one who began may leave while others wait: nothing of its own is used.
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
  // Yoga sends what `stringify` gives.
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
