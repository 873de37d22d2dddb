import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Vite would take graphql's ESM build where Node takes the other one, and graphql refuses to be there twice.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['{src,test}/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts'],
    globalSetup: 'test/_util/global-setup.ts',
    // Need a browser on the machine, or root: `npm run test:browser`, `npm run test:image`.
    exclude: [...configDefaults.exclude, '**/test/browser/**', 'test/image/**'],
    // A shared machine may stop for seconds; a test that fails twice in a row fails.
    retry: process.env.CI ? 1 : 0,
    // A real chain, store and server start in most files; a machine with two busy cores needs the time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes in milliseconds on an idle machine; a second is too little on a shared one.
    expect: { poll: { timeout: 10_000 } },
    // Each file may start its own EVM and store: more at once than cores only makes all of them late.
    maxWorkers: 2,
  },
});
