import { page, xml } from '../svg.ts';
import type { Figures } from './summary.ts';

/** The figures of one query, as `--json` has them. */
export interface Result {
  title: string;
  figures: Figures[];
}

const width = 900;
const left = 300;
/** The end of the scale. A longer bar is cut off, and has its figure beside it. */
const right = 800;
const longest = 1.3;
const barHeight = 15;
const step = 20;

const at = (ratio: number) => left + (Math.min(ratio, longest) / longest) * (right - left);

/** The ratios of processor time as bars, the contenders of each query side by side, as an SVG. */
export function picture(results: Result[], measuredOn: string): string {
  let y = 62;
  const groups = results.map(({ title, figures }) => {
    const top = y;
    y += 24;
    const bars = figures.flatMap((one) => {
      const bar = barOf(one, y);
      y += step;
      return bar;
    });
    const line = `<line class="one" x1="${at(1)}" y1="${top + 18}" x2="${at(1)}" y2="${y - 2}"/>`;
    y += 18;
    return [`<text class="title" x="20" y="${top + 14}">${xml(title)}</text>`, line, ...bars].join('\n  ');
  });
  const height = y + 12;
  return page({
    title: 'Reads of srr-gateway beside its peers',
    description: results.map(described).join(' '),
    width,
    height,
    colors: {
      hand: ['#8c959f', '#6e7681'],
      gateway: ['#0f8a7e', '#2bb3a4'],
      stands: ['#5b5bd6', '#8b8bf0'],
      peer: ['#bc4c00', '#f0883e'],
    },
    style: `.name, .figure { fill: var(--text); font-size: 12px; }
    .figure { stroke: var(--page); stroke-width: 4px; paint-order: stroke; }
    .name { text-anchor: end; }
    .one { stroke: var(--soft); stroke-dasharray: 4 3; }
    .reach { stroke: var(--text); stroke-width: 1.5; }
    .hand { fill: var(--hand); } .gateway { fill: var(--gateway); } .stands { fill: var(--stands); } .peer { fill: var(--peer); }`,
    body: `<text class="title" x="20" y="28" font-size="16">Requests for the same processor time; written by hand = 1</text>
  <text class="soft" x="20" y="47">Longer is better. Median of the rounds, with the least and the most. ${xml(measuredOn)}</text>
  ${groups.join('\n  ')}`,
  });
}

function barOf({ contender, ratio }: Figures, y: number): string[] {
  const { least, median, most } = ratio.processor ?? ratio.throughput;
  const middle = y + barHeight / 2;
  const reach = Math.max(at(most), at(median)) + 7;
  const more = median > longest ? ' →' : '';
  return [
    `<text class="name" x="${left - 10}" y="${y + 12}">${xml(contender)}</text>`,
    `<rect class="${kindOf(contender)}" x="${left}" y="${y}" width="${(at(median) - left).toFixed(1)}" height="${barHeight}" rx="2"/>`,
    ...(least < most && median <= longest
      ? [
          `<line class="reach" x1="${at(least).toFixed(1)}" y1="${middle}" x2="${at(most).toFixed(1)}" y2="${middle}"/>`,
        ]
      : []),
    `<text class="figure" x="${reach.toFixed(1)}" y="${y + 12}">${shown(median)}${more}</text>`,
  ];
}

function kindOf(contender: string): string {
  if (contender.endsWith('asked before')) return 'stands';
  if (contender.startsWith('srr-gateway')) return 'gateway';
  return contender === 'written by hand' ? 'hand' : 'peer';
}

const shown = (ratio: number) => (ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(ratio < 0.1 ? 3 : 2));

const described = ({ title, figures }: Result) =>
  `${title}: ${figures
    .map(({ contender, ratio }) => `${contender} ${shown((ratio.processor ?? ratio.throughput).median)}`)
    .join(', ')}.`;
