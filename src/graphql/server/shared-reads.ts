import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { createShared } from '../../lib/shared.ts';
import type { Context } from '../context.ts';
import type { Holds } from './kept-answers.ts';
import type { PendingContext } from './pending-answer.ts';
import { publicReads } from './public-read.ts';
import { execute } from './straight-execution.ts';

interface Executed {
  result: ExecutionResult;
  /** Of an answer that can get no better at its block: without an error, and with all its metadata. */
  final?: { holds: Holds; text: string } | undefined;
}

/**
 * Executes anonymous reads of the catalog once for all who ask the same at the same time, and says of their
 * answers whether they may be kept. Readers share only what began at the same moment of the index, so that
 * nobody who asks after a new block or a webhook is given what was read before it.
 */
export function sharedReads(renew: (context: Context, signal: AbortSignal) => Context): Plugin<Context> {
  const running = createShared<Executed>();
  const reads = publicReads();
  return {
    onExecute({ args, setExecuteFn }) {
      const { document, operationName, variableValues } = args;
      const context = args.contextValue as Context & PendingContext;
      const read = context.caller.kind === 'anonymous' ? reads(document, operationName) : undefined;
      if (!read) return;
      const { languages, signal, fresh, pending } = context;
      const question = JSON.stringify([read.number, variableValues, languages]);
      setExecuteFn(async (args: ExecutionArgs) => {
        const { result, final } = await running.join(
          // The parts of a question are no hash, and no number either.
          fresh.reads.moment() + question,
          // The one who began may leave while others wait: nothing of its own is used.
          (live) => executed({ ...args, contextValue: renew(context, live) }, read.reads),
          signal,
        );
        if (final) pending?.executed(final.holds, final.text);
        return result;
      });
    },
  };
}

async function executed(args: ExecutionArgs & { contextValue: Context }, reads: boolean): Promise<Executed> {
  const result = await execute(args);
  const { block, settled } = args.contextValue.fresh.reads;
  const holds = holdsAt(reads, block?.hash);
  if (result.errors || !settled || !holds) return { result };
  const text = JSON.stringify(result);
  // Yoga sends what `stringify` gives.
  return { result: Object.assign({ ...result }, { stringify: () => text }), final: { holds, text } };
}

function holdsAt(reads: boolean, hash: string | undefined): Holds | undefined {
  if (!reads) return 'for ever';
  return hash === undefined ? undefined : { block: hash };
}
