import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,test}/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts'],
    globalSetup: 'test/_util/global-setup.ts',
    // Need a browser on the machine, root, or packages of an example: each has a script of its own.
    exclude: [...configDefaults.exclude, '**/test/browser/**', 'test/image/**', 'test/supergraph/**'],
    // A shared machine may stop for seconds; a test that fails twice in a row fails.
    retry: process.env.CI ? 1 : 0,
    // A real chain, store and server start in most files; a machine with two busy cores needs the time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes in milliseconds on an idle machine; a second is too little on a shared one.
    expect: { poll: { timeout: 10_000 } },
    // Each file may start its own EVM and store: more at once than cores only makes all of them late.
    maxWorkers: 2,
    // The files of a worker share its modules, warm code and emptied databases: half of the suite's time.
    isolate: false,
    // Node runs the sources itself, as in production, and nothing here mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
