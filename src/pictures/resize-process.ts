import { EventEmitter, once } from 'node:events';
import sharp, { type Metadata } from 'sharp';
import type { Resized, ResizeJob, ResizeResult } from './resizer.ts';

// Main module of the process that decodes pictures. Their bytes are untrusted, so this process has neither the
// gateway's environment nor its memory, and can be killed.

/** A camera with 50 megapixels. */
const maxPixels = 50_000_000;
/** For the pictures that are being made, together: a replica at work has as much left of its container's 1 GiB. */
const maxBytes = 500_000_000;
/** Most pictures take a tenth of a second. */
const maxSeconds = 15;
/** Do not fail on warnings: some cameras write small errors into headers, and browsers show these pictures. */
const failOn = 'error';

// Each picture is decoded once, so a cache would only take memory. Two are decoded at a time, with one thread
// each.
sharp.cache(false);
sharp.concurrency(1);
// Each decoder is a risk, so leave out SVG, which can load other files, and rare formats.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff'].map((format) => `VipsForeignLoad${format}`),
});

/** Quality at which an artwork looks the same on a screen. AVIF is slow at its default effort. */
const options = {
  webp: { quality: 80 },
  avif: { quality: 55, effort: 2 },
  jpeg: { quality: 82, progressive: true },
  png: {},
};

/** The most memory that decoding takes, as measured. AVIF is decoded as a whole, and in several copies. */
function bytesToDecode({ format, width, height, depth, channels, isProgressive }: Metadata): number {
  const perPixel = format === 'heif' ? (depth === 'uchar' ? 20 : 27) : isProgressive ? 3.2 * channels : 8;
  return width * height * perPixel;
}

const bytesToEncode = ({ format, width, height }: ResizeJob) => (format === 'avif' ? width * height * 27 : 0);

let bytesInUse = 0;
const freed = new EventEmitter();

/** Runs the work once there is memory for it. Alone it has enough: of the two at a time one waits for the other. */
async function inMemory<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  while (bytesInUse > 0 && bytesInUse + bytes > maxBytes) await once(freed, 'room');
  bytesInUse += bytes;
  try {
    return await work();
  } finally {
    bytesInUse -= bytes;
    freed.emit('room');
  }
}

async function resize(job: ResizeJob, begin: () => void): Promise<ResizeResult> {
  // This reads only the header, so a picture that is too large is refused before it is decoded.
  const source = await sharp(job.bytes, { limitInputPixels: false, failOn }).metadata();
  const bytes = bytesToDecode(source);
  if (source.width * source.height > maxPixels || bytes > maxBytes) return { fault: 'TOO_LARGE' };
  return inMemory(bytes + bytesToEncode(job), () => {
    begin();
    return make(job, source);
  });
}

async function make({ bytes, width, height, format }: ResizeJob, source: Metadata): Promise<Resized> {
  const picture = await sharp(bytes, { limitInputPixels: maxPixels, failOn })
    .timeout({ seconds: maxSeconds })
    // sharp converts colours to sRGB and drops EXIF by default.
    .autoOrient()
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .flatten(format === 'jpeg' ? { background: '#fff' } : false)
    .toFormat(format, options[format])
    .toBuffer();
  const { width: sourceWidth, height: sourceHeight } = source.autoOrient;
  return {
    picture,
    source: { contentType: source.mediaType ?? '', width: sourceWidth, height: sourceHeight },
  };
}

process.on('message', async ({ id, ...job }: ResizeJob & { id: number }) => {
  let startedAt = performance.now();
  const begin = () => {
    startedAt = performance.now();
    process.send?.({ id, begun: true });
  };
  // Other errors of the decoder mean that the bytes are not a picture.
  const answer = await resize(job, begin).catch(() => ({
    fault: performance.now() - startedAt < maxSeconds * 1000 ? 'NOT_A_PICTURE' : 'TOO_SLOW',
  }));
  if (process.connected) process.send?.({ id, ...answer });
});
// The gateway has ended, perhaps by a kill.
process.on('disconnect', () => process.exit());
