import { Readable } from 'node:stream';

/** Corrupts or cuts off a body, to test clients that verify what they get. */
export function corruptBody(body: Readable, effect: 'corrupt' | 'cut'): Readable {
  return Readable.from(effect === 'corrupt' ? lastByteChanged(body) : cutShort(body), { objectMode: false });
}

/**
 * Flips one bit of the last byte: headers and sizes of every
 * format stay valid, so only a hash check finds it.
 */
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
    if (chunk.length === 0) continue; // An empty file has nothing to cut off.
    yield chunk.subarray(0, Math.ceil(chunk.length / 2));
    throw new Error('test mode cuts this answer short');
  }
}
