import sharp from 'sharp';
import type { Resized, ResizeFault, ResizeJob } from './resizer.ts';

// Main module of the process that decodes pictures. Their bytes are untrusted, so this process has neither the
// gateway's environment nor its memory, and can be killed.

/** A camera with 50 megapixels. Two such pictures, decoded as a whole, take some 400 MB. */
const maxPixels = 50_000_000;
/** Most pictures take a tenth of a second. */
const maxSeconds = 15;
/** Not `warning`: some cameras write faulty headers, and browsers show these pictures. */
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

async function resize({ bytes, width, height, format }: ResizeJob): Promise<Resized | ResizeFault> {
  // Read only the header, to refuse a picture that is too large before decoding it.
  const source = await sharp(bytes, { limitInputPixels: false, failOn }).metadata();
  if (source.width * source.height > maxPixels) return { fault: 'TOO_LARGE' };
  const made = await sharp(bytes, { limitInputPixels: maxPixels, failOn })
    .timeout({ seconds: maxSeconds })
    // sharp converts colours to sRGB and drops EXIF by default.
    .autoOrient()
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .flatten(format === 'jpeg' ? { background: '#fff' } : false)
    .toFormat(format, options[format])
    .toBuffer();
  const { width: sourceWidth, height: sourceHeight } = source.autoOrient;
  return {
    picture: made,
    source: { contentType: source.mediaType ?? '', width: sourceWidth, height: sourceHeight },
  };
}

process.on('message', async ({ id, ...job }: ResizeJob & { id: number }) => {
  const startedAt = performance.now();
  // Other errors of the decoder mean that the bytes are not a picture.
  const answer = await resize(job).catch(() => ({
    fault: performance.now() - startedAt < maxSeconds * 1000 ? 'NOT_A_PICTURE' : 'TOO_SLOW',
  }));
  if (process.connected) process.send?.({ id, ...answer });
});
// The gateway has ended, perhaps by a kill.
process.on('disconnect', () => process.exit());
