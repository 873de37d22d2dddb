import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWorld } from './data.ts';
import { subgraphAnswers } from './subgraph-answers.ts';

/** The process that stands in for the subgraph and the IPFS gateway, and counts its requests. */

/** Counts since they were last read. */
export interface Counts {
  /** Requests for rows. */
  subgraph: number;
  /** Requests for the newest block only: a timer sends them, not a query. */
  watch: number;
  ipfs: number;
  /** Bytes of the requests for rows, and of their responses. */
  subgraphAsked: number;
  subgraphAnswered: number;
}

const none: Counts = { subgraph: 0, watch: 0, ipfs: 0, subgraphAsked: 0, subgraphAnswered: 0 };

const world = createWorld();
const answers = subgraphAnswers(world);
let counts = { ...none };

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (url.startsWith('/ipfs/')) {
    counts.ipfs++;
    const [cid = ''] = url.slice('/ipfs/'.length).split('?');
    const document = world.documents.get(cid);
    const type = url.endsWith('?format=raw') ? 'application/vnd.ipld.raw' : 'application/json';
    response.writeHead(document ? 200 : 404, { 'content-type': type }).end(document);
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const text = answerTo(url, body);
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text);
  });
});

function answerTo(url: string, body: string): string | undefined {
  if (url === '/subgraph') {
    const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
    const plan = answers.plan(query);
    const answer = plan.answer(variables ?? {});
    if (plan.watchesOnly) counts.watch++;
    else {
      counts.subgraph++;
      counts.subgraphAsked += Buffer.byteLength(body);
      counts.subgraphAnswered += Buffer.byteLength(answer);
    }
    return answer;
  }
  // The bench's own requests: move the block with every response or not, add one block, and read the counts.
  if (url === '/moving') {
    answers.head.moving = JSON.parse(body) as boolean;
    return '{}';
  }
  if (url === '/block') {
    answers.head.number++;
    return '{}';
  }
  if (url === '/counts') {
    const counted = JSON.stringify(counts);
    counts = { ...none };
    return counted;
  }
  return undefined;
}

// Contenders keep their connections between rounds.
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
});
