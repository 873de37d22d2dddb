import { staleArtifacts } from './compile-contracts.ts';
import { staleFixtures } from './make-fixtures.ts';

// Generates the committed generated files again in memory and compares them. When they are stale, users get a
// chain or a seeded world that does not match the sources.

const fixtures = await staleFixtures();
const stale = [
  {
    files: staleArtifacts().map((name) => `src/chain/artifacts/${name}`),
    mend: 'npm run contracts -w packages/sandbox',
  },
  {
    files: fixtures.map((name) => `src/fixtures/data/${name}`),
    mend: `npm run fixtures -w packages/sandbox${fixtures.includes('pictures.json') ? ' -- --pictures' : ''}`,
  },
].filter(({ files }) => files.length > 0);

for (const { files, mend } of stale)
  console.error(`Stale in packages/sandbox: ${files.join(', ')}\n  mend with: ${mend}`);
process.exitCode = stale.length > 0 ? 1 : 0;
