import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { passThrough } from './pass-through.ts';

async function read({ body }: { body: Readable }): Promise<void> {
  for await (const piece of body) expect(piece).toBeInstanceOf(Buffer);
}

/** Passes a body of unknown length on to a storage that reads all of it. */
function send(body: Readable, putObject = read, announced?: { hash: string; size: null }): Promise<void> {
  const deps = {
    rows: { announced: async () => announced },
    sign: async () => [{ url: 'https://storage.example', contentType: 'application/octet-stream' }],
    storage: { putObject },
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

it('the storage does not get the end of a file that is not the announced one', async () => {
  const body = Readable.from(
    (async function* () {
      yield Buffer.from('a');
      yield Buffer.from('b');
      await setImmediate();
    })(),
  );
  let got = '';
  const put = (object: { body: Readable }) =>
    new Promise<void>((resolve, reject) => {
      object.body
        .on('data', (piece) => {
          got += piece;
        })
        .on('error', reject)
        .on('end', resolve);
    });
  const announced = { hash: `sha256-${'0'.repeat(64)}`, size: null };
  await expect(send(body, put, announced)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  expect(got).toBe('a');
});
