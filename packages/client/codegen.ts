import type { CodegenConfig } from '@graphql-codegen/cli';

/** What the gateway's own scalars are in TypeScript, as JSON carries them. */
export const scalars = {
  Address: 'string',
  BigInt: 'string',
  CID: 'string',
  DateTime: 'string',
  File: 'Blob',
  ID: 'string',
  JSON: 'unknown',
  LanguageMap: 'Record<string, string>',
  TokenId: 'string',
  URL: 'string',
  // Only routers of a supergraph use it. Without it "strictScalars: true" refuses the schema.
  _Any: 'unknown',
};

// Copy this file. It types the documents that you write with `graphql(…)` for the client's query, mutate and follow:
// npm i -D @graphql-codegen/cli @graphql-codegen/client-preset @graphql-typed-document-node/core, then
// npx graphql-codegen --config codegen.ts
const config: CodegenConfig = {
  schema: process.env.SCHEMA ?? 'https://gateway.example/graphql',
  documents: ['src/**/*.{ts,tsx}', '!src/gql/**'],
  // For TypeScript's "module": "nodenext", which needs endings in imports:
  // importExtension: '.js',
  generates: {
    './src/gql/': {
      preset: 'client',
      config: {
        // Names of types as the schema has them, and texts instead of syntax trees: smaller pages.
        namingConvention: 'keep',
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        scalars,
      },
    },
  },
};

export default config;
