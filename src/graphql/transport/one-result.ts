import type { ExecutionResult } from 'graphql';

/**
 * The result of a query or mutation as a stream of one. Its client can leave before it is there: `end` then
 * cancels what the operation still waits for, and nothing more is sent.
 */
export function oneResult(
  perform: () => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>,
  end: () => void,
): AsyncGenerator<ExecutionResult> {
  const left = Promise.withResolvers<void>();
  let isLeft = false;
  const results = async function* () {
    const performed = isLeft ? undefined : await Promise.race([perform(), left.promise]);
    if (!performed || isLeft) return;
    if (Symbol.asyncIterator in performed) yield* performed;
    else yield performed;
  };
  const stream = results();
  // A generator handles `return` only after its pending `next`, so by itself it would wait for the result.
  const leave = stream.return.bind(stream);
  stream.return = (value) => {
    isLeft = true;
    left.resolve();
    end();
    return leave(value);
  };
  return stream;
}
