import type { CodegenConfig } from '@graphql-codegen/cli';
import { scalars } from '../../packages/client/codegen.ts';

// Types for the documents in src/**/*.graphql: npm run gallery:codegen at the root of the repository.
const config: CodegenConfig = {
  schema: 'schema/gateway.graphql',
  documents: 'examples/gallery/src/**/*.graphql',
  generates: {
    'examples/gallery/src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Names of types as the schema has them.
        namingConvention: 'keep',
        useTypeImports: true,
        enumsAsTypes: true,
        scalars,
      },
    },
  },
};

export default config;
