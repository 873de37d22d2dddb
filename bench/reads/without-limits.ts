import { registerHooks } from 'node:module';

// For `--import`: the gateway without what limits its queries. No configuration takes these out, so that nobody
// runs without them by mistake; what they cost is told only by leaving them away.

const plugins = [
  { path: '/src/graphql/limits/query-limits.ts', name: 'queryLimits' },
  { path: '/src/graphql/limits/anonymous-body.ts', name: 'anonymousBody' },
  { path: '/src/graphql/server/deadline.ts', name: 'deadline' },
];

registerHooks({
  load(url, context, next) {
    const plugin = plugins.find(({ path }) => url.endsWith(path));
    if (!plugin) return next(url, context);
    return { format: 'module', source: `export const ${plugin.name} = () => ({});`, shortCircuit: true };
  },
});
