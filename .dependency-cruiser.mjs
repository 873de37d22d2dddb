// The walls: who may import whom. `npm run lint` checks them; imports of types count as well.

/**
 * A room may import from the lines below its own. Rooms on one line do not know each other. The first room of
 * each package is its entrance, the files beside the folders.
 */
const houses = [
  {
    prefix: '',
    root: 'src',
    layers: [
      ['main.ts|start|commands'],
      ['app.ts|app'],
      ['mcp', 'rest'],
      ['operations'],
      ['graphql', 'server'],
      ['webhooks'],
      ['issuance', 'uploads', 'events', 'catalog', 'pictures', 'access'],
      ['clients', 'store'],
      ['config'],
      ['observability', 'lib'],
      ['model'],
    ],
  },
  {
    prefix: 'sandbox-',
    root: 'packages/sandbox/src',
    layers: [
      ['main.ts|start.ts|container.ts|routes.ts|workers.ts'],
      ['control', 'docs', 'commerce', 'reads', 'fixtures'],
      ['minting'],
      ['subgraph', 'webhooks', 'storage'],
      ['ipfs', 'licensing'],
      ['faults'],
      ['chain', 'store'],
      ['http', 'lib', 'config'],
    ],
  },
];

const within = (root, rooms) => `^${root}/(${rooms.join('|')})(/|$)`;

const upward = houses.flatMap(({ prefix, root, layers }) => [
  {
    name: `${prefix}room-without-a-line`,
    severity: 'error',
    comment: 'A new room needs its place among the layers.',
    from: { path: `^${root}/`, pathNot: within(root, layers.flat()) },
    to: {},
  },
  ...layers.flatMap((layer, i) =>
    layer.map((room) => ({
      name: `${prefix}${room.split('|')[0]}-imports-downward`,
      severity: 'error',
      comment: 'A room knows only what is below it: see the tables of rooms in CONTRIBUTING.md.',
      from: { path: within(root, [room]) },
      to: { path: within(root, layers.slice(0, i + 1).flat()), pathNot: within(root, [room]) },
    })),
  ),
]);

export default {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      comment: 'Modules of a circle cannot be read, tested or moved alone.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circle-of-folders',
      severity: 'error',
      comment: 'Two folders that import each other are one folder.',
      scope: 'folder',
      from: { path: '^(src|packages)' },
      to: { circular: true },
    },
    ...upward,
    {
      name: 'clients-apart',
      severity: 'error',
      comment: 'Each upstream can be understood, and replaced, alone.',
      from: { path: '^src/clients/(commerce|subgraph|ipfs)/' },
      to: { path: '^src/clients/(commerce|subgraph|ipfs)/', pathNot: '^src/clients/$1/' },
    },
    {
      name: 'generated-code-stays-with-its-client',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: '^src/clients/subgraph/' },
      to: { path: '^src/clients/subgraph/generated\\.ts$' },
    },
    {
      name: 'sandbox-only-at-the-start',
      severity: 'error',
      comment: 'The gateway runs without the sandbox, and shares none of its readings of the document.',
      from: { path: '^src/', pathNot: '^src/start/' },
      to: { path: '^packages/sandbox/' },
    },
    {
      name: 'packages-without-the-gateway',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(src|test|scripts)/' },
    },
    {
      name: 'cli-by-the-client',
      severity: 'error',
      comment: 'The command line knows the gateway by its API alone, as the programs of partners do.',
      from: { path: '^packages/cli/' },
      to: { path: '^packages/', pathNot: '^packages/(cli|client)/' },
    },
    {
      name: 'common-alone',
      severity: 'error',
      from: { path: '^packages/common/' },
      to: { path: '^packages/', pathNot: '^packages/common/' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$|^packages/client/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
