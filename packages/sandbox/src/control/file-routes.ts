import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { fileMessages } from '../http/messages.ts';
import { refusals } from '../http/refusals.ts';
import { ServiceError } from '../http/service-error.ts';
import { address } from '../http/values.ts';
import type { Directory } from '../licensing/directory.ts';
import { contentTypeOf } from '../storage/content-type.ts';
import { provisionedUrl } from '../storage/file-location.ts';
import { longestFilename, space, withExtension } from '../storage/filename.ts';
import type { Storage } from '../storage/storage.ts';
import { categories } from '../store/tables.ts';
import { controlAddress } from './runtime-settings.ts';

/** Dependencies of the route of provisioned files. */
export interface FileRoutes {
  directory: Directory;
  storage: Storage;
  settings: { fileLimitBytes: number };
  origin(): string;
  /** Called when a file waits for its hash and cid. */
  onStored(): void;
}

const attached = z.enum(categories).exclude(['non_attachment_file']);

/** The body of `POST /sandbox/files`. */
const newFile = z.strictObject({
  issuer: controlAddress(),
  filename: z
    .string()
    .regex(withExtension, fileMessages.extensionMissing)
    .refine((name) => !space.test(name), fileMessages.spaceNotAllowed)
    .refine((name) => Buffer.byteLength(name) <= longestFilename, `at most ${longestFilename} bytes`)
    .describe(
      'The filename, by the rules of an upload: with an extension, without a space, unique per issuer.',
    ),
  category: attached,
  content: z.base64().describe('The bytes in base64.'),
});

const provisioned = z
  .object({
    url: z.string().describe('The URL for `attachmentFiles[*].url`.'),
    issuer: address,
    filename: z.string(),
    category: attached,
    size: z.int(),
  })
  .describe('The file is stored. `fileMetadata` has its hash and cid once they are calculated.');

/** Registers the route that puts a file into storage for the document's "service-provisioned URL". */
export function fileRoutes(server: FastifyInstance, options: FileRoutes): void {
  const { directory, storage, settings, origin } = options;

  server.withTypeProvider<ZodTypeProvider>().post(
    '/sandbox/files',
    {
      schema: {
        operationId: 'provisionFile',
        tags: ['Test mode'],
        summary: 'Provision a file for an issuer',
        description:
          '`attachmentFiles[*].url` accepts its URL, which is not a finalUrl of the signed-URL flow.',
        body: newFile,
        response: { 201: provisioned, 400: refusals[400] },
      },
    },
    async ({ body: { issuer, filename, category, content } }, reply) => {
      if (!(await directory.find([issuer])).has(issuer))
        throw new ServiceError(400, [`issuer: ${issuer} is no licensed user`]);
      const location = { issuer, filename, category };
      const bytes = Buffer.from(content, 'base64');
      const received = await storage.receive(
        location,
        contentTypeOf(filename),
        Readable.from([bytes]),
        settings.fileLimitBytes,
      );
      if (received !== 'stored') throw new ServiceError(400, [refusal[received]]);
      const file = await storage.find(issuer, filename);
      if (file === undefined) throw new Error(`${filename} was stored and is not there`);
      options.onStored();
      return reply
        .code(201)
        .send({ url: provisionedUrl(origin(), file.id), ...location, size: bytes.length });
    },
  );
}

const refusal = {
  'name used': 'filename: the issuer has a file of this name',
  'too large': 'content: the file is not smaller than the size limit',
} as const;
