import { GatewayError } from '../../model/errors.ts';
import type { PictureFacts } from '../../pictures/resizer.ts';
import { type PictureFormat, sizeFor } from '../../pictures/variant.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';

const ImageFormat = builder.enumType('ImageFormat', {
  description: 'A format that the gateway makes pictures in.',
  values: {
    WEBP: { value: 'webp', description: 'WebP: small files, supported by all current browsers.' },
    AVIF: { value: 'avif', description: 'AVIF: the smallest files, and the slowest to make.' },
    JPEG: { value: 'jpeg', description: 'JPEG, for old programs. Transparent parts become white.' },
    PNG: { value: 'png', description: 'PNG: large files without loss of quality.' },
  } satisfies Record<string, { value: PictureFormat; description: string }>,
});

const ImageTransformInput = builder.inputType('ImageTransformInput', {
  description:
    'The box that a picture must fit into. Its aspect ratio stays, and a smaller picture is not enlarged.',
  fields: (t) => ({
    maxWidth: t.int({
      description:
        'The width of the box in pixels, rounded up to 160, 320, 640, 960, 1440 or 2560. The largest is also the default.',
    }),
    maxHeight: t.int({ description: 'The height of the box in pixels, rounded up as maxWidth is.' }),
    format: t.field({ type: ImageFormat, defaultValue: 'webp', description: 'The format of the picture.' }),
  }),
});

export const Media = builder.objectRef<string>('Media').implement({
  description: 'A picture or file that the metadata document names.',
  fields: (t) => ({
    uri: t.string({
      nullable: false,
      description: 'The address as recorded in the document: ipfs://, http(s):// or a bare CID.',
      resolve: (uri) => uri,
    }),
    url: t.field({
      type: 'URL',
      nullable: false,
      description:
        'The address where a browser can load the file: at the first configured IPFS gateway when it is on IPFS, else as recorded. With transform it is the address of a smaller picture at this gateway, which checks the bytes of the original against their CID; a file that is not named by a CID alone has the same address as without transform.',
      args: {
        transform: t.arg({
          type: ImageTransformInput,
          description: 'The size and format of a smaller picture. Absent: the original.',
        }),
      },
      resolve: (uri, { transform }, { loaders, services }) => {
        if (transform) {
          const variant = {
            width: sizeFor(positive(transform.maxWidth, 'maxWidth')),
            height: sizeFor(positive(transform.maxHeight, 'maxHeight')),
            format: transform.format ?? 'webp',
          };
          const path = services.pictures.pathOf(uri, variant);
          if (path !== undefined) return `${services.publicUrl()}${path}`;
        }
        return loaders.reads.documents.media(uri)?.url ?? uri;
      },
    }),
    cid: t.field({
      type: 'CID',
      description:
        'The CID of the file, or of the directory that it is in when the address has a path after the CID. Null when the file is not on IPFS.',
      resolve: (uri, _args, { loaders }) => loaders.reads.documents.media(uri)?.cid ?? null,
    }),
    contentType: t.string({
      description:
        'The media type of the picture by its bytes, such as image/jpeg. Null until this gateway has made a smaller picture of it, and for other files: this field fetches nothing by itself.',
      resolve: (uri, _args, context) => factOf(uri, 'contentType', context),
    }),
    width: t.int({
      description:
        'The width of the original in pixels, after its orientation is applied. Null when contentType is null.',
      resolve: (uri, _args, context) => factOf(uri, 'width', context),
    }),
    height: t.int({
      description:
        'The height of the original in pixels, after its orientation is applied. Null when contentType is null.',
      resolve: (uri, _args, context) => factOf(uri, 'height', context),
    }),
  }),
});

function factOf<Name extends keyof PictureFacts>(uri: string, name: Name, { services, loaders }: Context) {
  const facts = services.pictures.factsOf(uri);
  // The facts may become known at the same block, so this answer must not be cached.
  if (!facts) loaders.mayChangeWithoutNewBlock = true;
  return facts?.[name] ?? null;
}

function positive(size: number | null | undefined, name: string): number | null | undefined {
  if (size == null || size > 0) return size;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${name} must be a number of pixels, 1 or more.`,
    path: ['transform', name],
  });
}
