import { Readable } from 'node:stream';
import { sleep } from '@srr-gateway/common/time';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Faults } from '../faults/faults.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { type Answer, answerFor } from './answers.ts';
import { withInlineBlocks } from './blocks.ts';
import type { Content } from './content.ts';
import { corruptBody } from './corrupt-body.ts';
import { parseCid, resolve } from './resolve.ts';
import { matchesEtag, responseFormat } from './response-format.ts';

/** `Retry-After` in seconds, as public gateways send it when they cannot find content in time. */
const tryAgainAfter = 5;

const refused = (description: string) => ({
  description,
  content: { 'text/plain': { schema: z.string() } },
});

const schema: FastifySchema = {
  operationId: 'readContent',
  tags: ['IPFS gateway'],
  summary: 'Content by its CID',
  // `catch`: validation lets an unknown format pass, because the gateway itself answers it with 406.
  querystring: z.looseObject({
    format: z
      .enum(['raw', 'car'])
      .optional()
      .catch(undefined)
      .describe('Absent: returns the file itself. Clients can verify blocks and CARs by their hashes.'),
  }),
  response: {
    200: { description: 'The content, which is immutable.', content: { '*/*': { schema: z.string() } } },
    400: refused('The path has no valid CID.'),
    404: refused('This gateway does not have the content.'),
    406: refused('A format that is not served.'),
    504: refused('Not found in time.'),
  },
};

/** The gateway's entry in the OpenAPI document; its answers are bytes. */
const readContent = { config: { documentedPath: '/ipfs/:cid' }, schema };

/** `/ipfs/<cid>[/path]`: path gateway (files, directories, ranges) and trustless gateway (blocks, CAR). */
export async function ipfsRoutes(
  server: FastifyInstance,
  { content, faults }: { content: Pick<Content, 'blocks' | 'contentTypeOf'>; faults?: Faults },
): Promise<void> {
  const blocks = withInlineBlocks(content.blocks);
  const contentTypeOf = (cid: string) => content.contentTypeOf(cid);
  allowAnyOrigin(server, 'GET, HEAD');

  server.route({
    method: ['GET', 'HEAD', 'OPTIONS'],
    url: '/ipfs/*',
    ...readContent,
    handler: async (request, reply) => {
      const { headers } = request;
      const [path = '', search = ''] = (request.raw.url ?? '').split('?', 2);
      const query = new URLSearchParams(search);
      const format = responseFormat(query, headers.accept);
      if (format === undefined) return refuse(reply, 406, 'this gateway serves files, raw blocks and CARs');
      const [cidText = '', ...names] = path.slice('/ipfs/'.length).split('/');
      const root = parseCid(cidText);
      if (root === undefined)
        return refuse(reply, 400, `invalid path: ${cidText.slice(0, 100)} is not a CID`);

      // A HEAD has no content to hit, and would use up the fault that is meant for the GET after it.
      const isHit = ({ cid = cidText }) => request.method === 'GET' && cid === cidText;
      const fault = faults?.consume('content', isHit);
      const { effect, delayMs = 0 } = fault ?? {};
      if (effect && effect !== 'corrupt' && effect !== 'cut') return fail(reply, effect, delayMs);

      const resolved = await resolve(blocks, root, names);
      if (resolved === undefined)
        return headers['cache-control']?.includes('only-if-cached')
          ? refuse(reply, 412, 'not in this gateway')
          : refuse(reply, 404, `no content for ${path.slice(0, 300)}`);
      const contentRequest = { resolved, path, query, range: headers.range, ifRange: headers['if-range'] };
      return send(request, reply, await answerFor(format, contentRequest, { blocks, contentTypeOf }), effect);
    },
  });
}

async function send(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  effect: 'corrupt' | 'cut' | undefined,
): Promise<FastifyReply> {
  reply.headers(answer.headers);
  if (answer.status < 300 && matchesEtag(headers['if-none-match'], answer.etag))
    return withoutBody(reply).code(304).send();
  reply.code(answer.status);
  if (method === 'HEAD' || answer.body === undefined) return reply.send();
  const body = await answer.body();
  if (effect === undefined) return reply.send(body);
  const bytes = Readable.from(typeof body === 'string' ? [Buffer.from(body)] : body);
  return reply.send(corruptBody(bytes, effect));
}

async function fail(
  reply: FastifyReply,
  effect: 'timeout' | 'busy' | 'gone',
  delayMs: number,
): Promise<FastifyReply> {
  await sleep(delayMs);
  if (effect === 'gone') return refuse(reply, 410, 'this content was taken away');
  reply.header('retry-after', tryAgainAfter);
  return effect === 'busy'
    ? refuse(reply, 429, 'too many requests')
    : refuse(reply, 504, 'no provider of this content was found in time');
}

/** Removes the headers that describe a body, because a 304 sends none. */
function withoutBody(reply: FastifyReply): FastifyReply {
  for (const name of ['content-length', 'content-type', 'content-range', 'content-disposition'])
    reply.removeHeader(name);
  return reply;
}

function refuse(reply: FastifyReply, status: number, reason: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${reason}\n`);
}
