import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { passThrough } from './pass-through.ts';

/** Passes a body of unknown length on to a storage that reads all of it. */
function send(body: Readable): Promise<void> {
  const deps = {
    rows: { announced: async () => undefined },
    sign: async () => [{ url: 'https://storage.example', contentType: 'application/octet-stream' }],
    storage: {
      putObject: async (object: { body: Readable }) => {
        for await (const piece of object.body) expect(piece).toBeInstanceOf(Buffer);
      },
    },
  };
  const key = { filename: 'a.bin', category: 'artwork' as const };
  const incoming = { body, contentType: undefined, size: undefined };
  return passThrough(deps as never, {} as never, key, incoming, AbortSignal.timeout(50_000));
}

it('a streamed file must be smaller than 2 GB', async () => {
  const piece = Buffer.alloc(2 ** 26);
  const pieces = Array<Buffer>(31).fill(piece);
  await send(Readable.from([...pieces, piece.subarray(1)]));
  await expect(send(Readable.from([...pieces, piece]))).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
});

it('an upload ends with the error of its body', async () => {
  const body = new Readable({ read: () => void body.destroy(new Error('the disk of the caller is gone')) });
  await expect(send(body)).rejects.toThrow('the disk of the caller is gone');
});
