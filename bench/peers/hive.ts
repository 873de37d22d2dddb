import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import {
  defineConfig,
  getComposedSchemaFromConfig,
  loadGraphQLHTTPSubgraph,
} from '@graphql-mesh/compose-cli';
import { DefaultLogger } from '@graphql-mesh/utils';
import { loadJSONSchemaSubgraph } from '@omnigraph/json-schema';
import { parseAddress } from '@srr-gateway/common/address';

/**
 * Hive Gateway, which composes the subgraph's own schema with the IPFS gateway as a JSON source. Resolvers
 * add the other fields of the bench's queries, as its documentation recommends. Documents are found by the
 * digest of their record, and are not verified.
 */

const { SUBGRAPH_URL = '', IPFS_URL = '', PORT } = process.env;

const text = { type: 'object', title: 'LanguageMap', properties: { en: { type: 'string' } } };
const document = {
  type: 'object',
  title: 'SRRMetadata',
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    title: text,
    medium: text,
    yearOfCreation: text,
    image: { type: 'string' },
  },
};

const additionalTypeDefs = `
  extend type SRR {
    owner: String
    checksummedArtist: String
    mintedAt: String
    metadata: SRRMetadata
  }
  extend type LicensedUserWallet { address: String! }
  extend type Collection { address: String! }
  extend type SRRProvenance { sender_: String! receiver: String! time: String! }
  extend type SRRMetadata { picture: Media }
  extend type LanguageMap { text: String! }
  type Media { url: String! }
`;

const supergraph = await getComposedSchemaFromConfig(
  defineConfig({
    subgraphs: [
      {
        sourceHandler: loadGraphQLHTTPSubgraph('subgraph', {
          endpoint: SUBGRAPH_URL,
          source: new URL('../../schema/subgraph.graphql', import.meta.url).pathname,
        }),
      },
      {
        sourceHandler: loadJSONSchemaSubgraph('ipfs', {
          endpoint: IPFS_URL,
          operations: [
            {
              type: 'Query' as never,
              field: 'document',
              path: '/ipfs/{args.cid}',
              method: 'GET',
              responseSchema: document as never,
            },
          ],
        }),
      },
    ],
    additionalTypeDefs,
  }),
  new DefaultLogger(),
);
type Row = Record<string, string>;
const checksummed = (address: string | null | undefined) =>
  address == null ? null : (parseAddress(address) ?? address);
const timeOf = (milliseconds = '') => new Date(Number(milliseconds)).toISOString();
interface Sources {
  ipfs: { Query: { document(call: object): unknown } };
}
/** An added field that needs a field of the source. */
const from = (field: string, read: (value: string | undefined) => unknown) => ({
  selectionSet: `{ ${field} }`,
  resolve: (row: Row) => read(row[field]),
});

const gateway = createGatewayRuntime({
  supergraph,
  logging: false,
  additionalResolvers: {
    SRR: {
      owner: from('ownerAddress', checksummed),
      checksummedArtist: from('artistAddress', checksummed),
      mintedAt: from('createdAt', timeOf),
      metadata: {
        selectionSet: '{ metadataDigest }',
        resolve: (row: Row, _args: unknown, context: Sources, info: unknown) =>
          context.ipfs.Query.document({ root: row, args: { cid: row.metadataDigest }, context, info }),
      },
    },
    LicensedUserWallet: { address: from('walletAddress', checksummed) },
    Collection: { address: from('id', checksummed) },
    SRRProvenance: {
      sender_: from('from', checksummed),
      receiver: from('to', checksummed),
      time: from('timestamp', timeOf),
    },
    SRRMetadata: {
      picture: from('image', (image = '') => ({ url: image.replace('ipfs://', `${IPFS_URL}/ipfs/`) })),
    },
    LanguageMap: { text: from('en', (en) => en) },
  } as never,
});
const server = createServer(gateway);
server.keepAliveTimeout = 120_000;
server.listen(Number(PORT), '127.0.0.1');
