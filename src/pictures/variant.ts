import type { CID } from 'multiformats/cid';
import { parseCid } from '../clients/ipfs/ipfs.ts';

/** Formats of pictures, and their media types. */
export const pictureTypes = {
  webp: 'image/webp',
  avif: 'image/avif',
  jpeg: 'image/jpeg',
  png: 'image/png',
} as const;

export type PictureFormat = keyof typeof pictureTypes;

/** The box that a picture must fit into, and its format. */
export interface Variant {
  width: PictureSize;
  height: PictureSize;
  format: PictureFormat;
}

/**
 * Allowed widths and heights in pixels, from a thumbnail to a large screen. A short list bounds the variants
 * of a picture that callers can request, and clients with similar sizes share one.
 */
export const pictureSizes = [160, 320, 640, 960, 1440, 2560] as const;

type PictureSize = (typeof pictureSizes)[number];

const largest = pictureSizes[pictureSizes.length - 1] as PictureSize;

/** Rounds a length up to the next size. Undefined, or more than the largest, gives the largest. */
export const sizeFor = (requested: number | null | undefined): PictureSize =>
  pictureSizes.find((size) => requested != null && size >= requested) ?? largest;

/** Usual CIDs are shorter. A longer one embeds its content and would make the path huge. */
const maxCidLength = 120;

/** The path of a picture at the gateway; undefined for a CID that no picture can have. */
export const picturePath = (cid: string, { width, height, format }: Variant): string | undefined =>
  cid.length > maxCidLength ? undefined : `/pictures/${cid}/${width}x${height}.${format}`;

/** Parses the path of a picture; undefined for other paths. */
export function parsePicturePath(pathname: string): { cid: CID; variant: Variant } | undefined {
  const [, name = '', w, h, f] =
    /^\/pictures\/([A-Za-z0-9]+)\/(\d{1,5})x(\d{1,5})\.([a-z]+)$/.exec(pathname) ?? [];
  const width = pictureSizes.find((size) => String(size) === w);
  const height = pictureSizes.find((size) => String(size) === h);
  const format = (Object.keys(pictureTypes) as PictureFormat[]).find((one) => one === f);
  if (!width || !height || !format || name.length > maxCidLength) return undefined;
  const cid = parseCid(name);
  return cid && { cid, variant: { width, height, format } };
}
