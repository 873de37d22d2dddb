import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { assetOf } from './fixtures/assets.ts';
import { ChainWriter } from './fixtures/chain-writer.ts';
import { oeuvres } from './fixtures/oeuvres.ts';
import { draw, type Subject } from './fixtures/pictures/draw.ts';
import { type Moment, palettes } from './fixtures/pictures/palettes.ts';
import { type PictureFile, writeWorld } from './fixtures/world.ts';

const help = `Usage: npm run fixtures -w packages/sandbox [-- --pictures]

Writes the sandbox's seeded world to src/fixtures/data: its chain, its tables, its pictures.

  --pictures   renders the pictures again too; needs chromium, and the result depends on its version
`;

const data = new URL('../src/fixtures/data/', import.meta.url);
/** Time of the genesis block: before the first block of the world. */
const genesis = new Date('2022-06-01T00:00:00Z');

interface Drawn {
  file: string;
  svg: string;
  /** SHA-256 of the SVG that the committed JPEG was rendered from. */
  source: string;
}

const pictures = new Map<string, Drawn>(
  oeuvres.flatMap(({ subject }) =>
    (Object.keys(palettes) as Moment[]).map(
      (moment) => [nameOf(subject, moment), drawn(subject, moment)] as const,
    ),
  ),
);

function nameOf(subject: Subject, moment: Moment): string {
  return `${subject}-${moment}`.toLowerCase();
}

function drawn(subject: Subject, moment: Moment): Drawn {
  const svg = draw(subject, moment);
  const source = createHash('sha256').update(svg).digest('hex');
  return { file: `pictures/${nameOf(subject, moment)}.jpg`, svg, source };
}

async function renderAll(): Promise<void> {
  const { renderPictures } = await import('./fixtures/render-pictures.ts');
  mkdirSync(new URL('pictures/', data), { recursive: true });
  const all = [...pictures.values()];
  for (const [index, jpeg] of (await renderPictures(all.map(({ svg }) => svg))).entries())
    writeFileSync(new URL(all[index]?.file ?? '', data), jpeg);
  writeFileSync(new URL('pictures.json', data), sourcesText());
}

/** JSON with the hash of each picture's SVG: shows a stale picture without rendering it again. */
function sourcesText(): string {
  return `${JSON.stringify(Object.fromEntries([...pictures].map(([name, { source }]) => [name, source])), null, 2)}\n`;
}

/** The contents of the two gzipped files, by file name. */
async function build(): Promise<Map<string, string>> {
  const assets = new Map<string, PictureFile>();
  for (const [name, { file }] of pictures)
    assets.set(name, { file, ...(await assetOf(readFileSync(new URL(file, data)))) });
  const terms = {
    file: 'contract-terms.pdf',
    ...(await assetOf(readFileSync(new URL('contract-terms.pdf', data)))),
  };
  const chain = await ChainWriter.start(genesis);
  const world = await writeWorld(chain, {
    terms,
    picture: (subject, moment) => assets.get(nameOf(subject, moment)) as PictureFile,
  }).catch(async (error: unknown) => {
    await chain.discard();
    throw error;
  });
  return new Map([
    ['chain-state.json.gz', await chain.finish()],
    ['world.json.gz', JSON.stringify(world)],
  ]);
}

/** Names of the committed files that differ from what their sources give. */
export async function staleFixtures(): Promise<string[]> {
  const read = (name: string) =>
    existsSync(new URL(name, data)) ? readFileSync(new URL(name, data)) : undefined;
  const stale = read('pictures.json')?.toString('utf8') === sourcesText() ? [] : ['pictures.json'];
  for (const [name, text] of await build()) {
    const packed = read(name);
    if (packed === undefined || gunzipSync(packed).toString('utf8') !== text) stale.push(name);
  }
  return stale;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pictures: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(help);
  if (values.pictures) await renderAll();
  for (const [name, text] of await build())
    writeFileSync(new URL(name, data), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}

if (import.meta.main) await main();
