import sharp from 'sharp';
import type { Resized, ResizeFault, ResizeJob } from './resizer.ts';

// The program of the process that decodes pictures. Their bytes come from strangers, so it runs apart from the
// gateway: without its environment, with its memory, and it can be killed.

/** A camera with 50 megapixels. Two such pictures, decoded as a whole, take some 400 MB. */
const maxPixels = 50_000_000;
/** Most pictures take a tenth of a second. */
const maxSeconds = 15;

// Each picture is decoded once, so a cache would only hold memory. Two are decoded at a time, a thread each.
sharp.cache(false);
sharp.concurrency(1);
// Neither SVG, which is a program, nor the formats that nobody publishes: each decoder is a risk.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff'].map((format) => `VipsForeignLoad${format}`),
});

/** Effort and quality at which an artwork looks the same on a screen; AVIF is slow at its default effort. */
const options = {
  webp: { quality: 80 },
  avif: { quality: 55, effort: 2 },
  jpeg: { quality: 82, progressive: true },
  png: {},
};

async function resize({ bytes, width, height, format }: ResizeJob): Promise<Resized | ResizeFault> {
  // Reads the header only, so a picture that is too large is refused before it is decoded.
  const source = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (source.width * source.height > maxPixels) return { fault: 'TOO_LARGE' };
  const made = await sharp(bytes, { limitInputPixels: maxPixels })
    .timeout({ seconds: maxSeconds })
    // Colours of other profiles become sRGB, and EXIF is left out: both are the library's defaults.
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
  const begun = performance.now();
  // Whatever else the decoder finds wrong, the bytes are no picture that can be shown.
  const answer = await resize(job).catch(() => ({
    fault: performance.now() - begun < maxSeconds * 1000 ? 'NOT_A_PICTURE' : 'TOO_SLOW',
  }));
  if (process.connected) process.send?.({ id, ...answer });
});
// The gateway has ended, perhaps without a chance to say so.
process.on('disconnect', () => process.exit());
