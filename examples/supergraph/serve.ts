import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { compose } from './compose.ts';
import { startInsurer, typeDefs } from './insurer.ts';

const help = `Usage: npm run supergraph

Puts srr-gateway into a supergraph, beside the subgraph of an insurer that extends its records. Hive Gateway
serves both as one endpoint. srr-gateway has to run (npm start).

  --composer NAME   guild or apollo (guild)
  --help            this text

GATEWAY_URL is the endpoint of srr-gateway (http://127.0.0.1:4000/graphql), or PORT is its port on this machine;
SUPERGRAPH_PORT is the port of the supergraph (4400).
`;

async function serve(composer: string): Promise<void> {
  if (composer !== 'guild' && composer !== 'apollo') throw new Error('--composer must be guild or apollo.');
  const gateway = process.env.GATEWAY_URL || `http://127.0.0.1:${process.env.PORT || 4000}/graphql`;
  const port = Number(process.env.SUPERGRAPH_PORT || 4400);
  const supergraph = compose(
    [
      { name: 'srr-gateway', url: gateway, sdl: await subgraphSchema(gateway) },
      { name: 'insurer', url: await startInsurer(), sdl: typeDefs },
    ],
    composer,
  );
  // Callers sign in at the supergraph, and srr-gateway decides what they may see.
  const propagateHeaders = {
    fromClientToSubgraphs: ({ request }: { request: Request }) => {
      const authorization = request.headers.get('authorization');
      return authorization === null ? {} : { authorization };
    },
  };
  const runtime = createGatewayRuntime({ supergraph, propagateHeaders, logging: 'error' });
  const server = createServer(runtime).listen(port, '127.0.0.1');
  await once(server, 'listening');
  process.stdout.write(
    `\n  Supergraph   http://127.0.0.1:${port}/graphql\n\n  Ask it, for example: ${query}\n\n`,
  );
}

const query =
  '{ srrs(first: 3) { edges { node { tokenId owner metadata { title { text } } insurance { policy sum } } } } }';

/** The schema of srr-gateway with its keys. Without introspection, take schema/federation.graphql instead. */
async function subgraphSchema(gateway: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ _service { sdl } }' });
  const response = await fetch(gateway, { method: 'POST', headers, body }).catch((cause: unknown) => {
    throw new Error(`Nothing answers at ${gateway}. Start srr-gateway with npm start, or set GATEWAY_URL.`, {
      cause,
    });
  });
  const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
  return data._service.sdl;
}

// Hive Gateway handles these signals too, but does not end the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));

try {
  const { composer = 'guild', help: helpRequested } = parseArgs({
    options: { composer: { type: 'string' }, help: { type: 'boolean' } },
  }).values;
  if (helpRequested) process.stdout.write(help);
  else await serve(composer);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${help}`);
  // The insurer's subgraph is listening already.
  process.exit(1);
}
