import { registerHooks } from 'node:module';

// For `--import`: the gateway without limits and auth. No configuration removes them, so that nobody runs
// without them by mistake, but their cost can only be measured without them.

const guards = [
  '/src/access/authenticate.ts',
  '/src/graphql/execution/limits/query-limits.ts',
  '/src/server/limits.ts',
];
const nothing = new URL('./no-guards.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return guards.some((path) => found.url.endsWith(path)) ? { ...found, url: nothing } : found;
  },
});
