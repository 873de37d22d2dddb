import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Db } from '../store/tables.ts';
import { withExamples } from './document.ts';
import { exampleValues } from './example-values.ts';
import { type ExampleContext, type Examples, examplesOf } from './examples.ts';
import { homePage } from './home-page.ts';

/** Dependencies of the documentation routes. */
interface DocsOptions extends ExampleContext {
  db: Db;
  rpcUrl: string;
  origin(): string;
}

const hidden = { schema: { hide: true } };

/** Registers `/docs`, a page to try every endpoint on, and `/`, the home page. `documentRoutes` must come first. */
export async function docsRoutes(server: FastifyInstance, options: DocsOptions): Promise<void> {
  const { db, world, origin, rpcUrl } = options;
  const [issuer] = world.issuers;
  if (!issuer) throw new Error('every world has an issuer');
  const document = (examples: Examples) =>
    withExamples(server.swagger() as OpenAPIV3_1.Document, examples, origin());
  // Read at each request, because they name existing objects, and some values can be used only once.
  const examples = async () => examplesOf(await exampleValues(db, issuer.address), options);
  let latest = await examples();

  server.get('/', hidden, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(await homePage({ db, world, origin: origin(), rpcUrl })),
  );
  server.get('/docs/openapi.json', hidden, async () => document(await examples()));
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    // `transformSpecification` is synchronous, so the examples are read before it.
    uiHooks: {
      preHandler: async () => {
        latest = await examples();
      },
    },
    transformSpecification: () => document(latest),
    transformSpecificationClone: false,
    uiConfig: {
      // The layout without the plugin's branded top bar.
      layout: 'BaseLayout',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: -1,
      docExpansion: 'list',
    },
    theme: { title: 'Issuance service sandbox' },
  });
}
