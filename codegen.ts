import type { CodegenConfig } from '@graphql-codegen/cli';
import { scalars } from './packages/client/codegen.ts';

const config: CodegenConfig = {
  generates: {
    // Types and calls for the subgraph operations, from the schema that the subgraph serves.
    'src/clients/subgraph/generated.ts': {
      schema: 'schema/subgraph.graphql',
      documents: 'src/clients/subgraph/operations/*.graphql',
      // The operations plugin also generates the input types that the operations use.
      plugins: ['typescript-operations', 'typescript-graphql-request'],
      config: {
        documentMode: 'documentNode',
        importExtension: '.ts',
        useTypeImports: true,
        enumsAsTypes: true,
        // Failures are classified by errors beside data and by the status.
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
    // Types of the operations that the client package sends; packages/client/scripts/generate.ts makes the rest.
    'packages/client/src/generated/types.ts': {
      schema: 'schema/gateway.graphql',
      documents: 'packages/client/src/operations/*.graphql',
      plugins: ['typescript-operations'],
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        namingConvention: 'keep',
        scalars,
      },
    },
  },
};

export default config;
