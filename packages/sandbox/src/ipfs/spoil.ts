import { Readable } from 'node:stream';

/** Answers that lie, for clients that check what they get: bytes that are wrong, or an end too early. */
export function spoil(body: Readable, effect: 'corrupt' | 'cut'): Readable {
  return Readable.from(effect === 'corrupt' ? lastByteChanged(body) : cutShort(body), { objectMode: false });
}

/** One bit, at the very end: headers and sizes of every form stay right, only a hash can tell. */
async function* lastByteChanged(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | undefined;
  for await (const chunk of body) {
    if (held) yield held;
    held = chunk;
  }
  if (!held || held.length === 0) return;
  const changed = Uint8Array.from(held);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  yield changed;
}

async function* cutShort(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk.subarray(0, Math.ceil(chunk.length / 2));
    break;
  }
  throw new Error('test mode cuts this answer short');
}
