import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types and calls for the subgraph operations, from the schema that the index serves. */
const config: CodegenConfig = {
  schema: 'schema/subgraph.graphql',
  documents: 'src/clients/subgraph/operations/*.graphql',
  generates: {
    'src/clients/subgraph/generated.ts': {
      // The operations plugin brings along the input types that the operations use.
      plugins: ['typescript-operations', 'typescript-graphql-request'],
      config: {
        documentMode: 'documentNode',
        importExtension: '.ts',
        useTypeImports: true,
        enumsAsTypes: true,
        // Errors beside data, and the status, decide what a failure means.
        rawRequest: true,
        scalars: {
          BigInt: 'string',
          Bytes: 'string',
          BigDecimal: 'string',
          Int8: 'string',
          Timestamp: 'string',
        },
      },
    },
  },
};

export default config;
