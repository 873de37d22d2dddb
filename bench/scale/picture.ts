import { page, xml } from '../svg.ts';
import { type Step, throughput } from './climb.ts';
import type { Figures, Sizes } from './measure.ts';

const [width, height] = [900, 372];
/** Size of each panel, without the names of its axes. */
const plot = { width: 360, height: 240, top: 90 };
const lefts = [64, 504];
/** Milliseconds, from the bottom to the top. */
const scale = { least: 1, most: 10_000 };

const names = ['first', 'second', 'third', 'fourth'];

/** p99 over the rate, for reads and for deliveries, with a line for each number of replicas. */
export function picture(all: Figures[], { readsP99, deliveriesP99 }: Sizes, measuredOn: string): string {
  const panels = [
    panel('reads a second', all, ({ reads }) => reads, readsP99, lefts[0] as number),
    panel('deliveries a second', all, ({ deliveries }) => deliveries, deliveriesP99, lefts[1] as number),
  ];
  const said = all.map(({ replicas, reads, deliveries }) => {
    const [read, stored] = [throughput(reads), throughput(deliveries)];
    return `${replicas} replicas carry ${read?.perSecond} reads or ${stored?.perSecond} deliveries a second.`;
  });
  return page({
    title: 'What replicas of srr-gateway carry',
    description: said.join(' '),
    width,
    height,
    colors: {
      first: ['#0f8a7e', '#2bb3a4'],
      second: ['#5b5bd6', '#8b8bf0'],
      third: ['#bc4c00', '#f0883e'],
      fourth: ['#bf3989', '#f778ba'],
    },
    style: `.axis { stroke: var(--edge); } .limit { stroke: var(--soft); stroke-dasharray: 4 3; }
    .line { fill: none; stroke-width: 2; } .name { font-size: 12px; font-weight: 600; }
    ${names.map((name) => `.line.${name} { stroke: var(--${name}); } .dot.${name}, .name.${name} { fill: var(--${name}); }`).join(' ')}`,
    body: `<text class="title" x="20" y="28" font-size="16">How long the slowest hundredth takes (p99), by the rate</text>
  <text class="soft" x="20" y="47">${xml(measuredOn)}</text>
  ${panels.join('\n  ')}`,
  });
}

function panel(
  title: string,
  all: Figures[],
  of: (one: Figures) => Step[],
  limit: number,
  left: number,
): string {
  const rates = all.flatMap((one) => of(one).map(({ perSecond }) => perSecond));
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const x = (rate: number) => left + part(rate, least, most) * plot.width;
  const y = (ms: number) => plot.top + (1 - part(ms, scale.least, scale.most)) * plot.height;
  const bottom = plot.top + plot.height;
  const ticks = [1, 10, 100, 1_000, 10_000].map(
    (ms) => `<line class="axis" x1="${left}" y1="${at(y(ms))}" x2="${left + plot.width}" y2="${at(y(ms))}"/>
  <text class="soft" x="${left - 8}" y="${at(y(ms) + 4)}" text-anchor="end">${ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`}</text>`,
  );
  const doubled = Array.from({ length: Math.floor(Math.log2(most / least)) + 1 }, (_, i) => least * 2 ** i);
  const marks = doubled.map(
    (rate) => `<text class="soft" x="${at(x(rate))}" y="${bottom + 18}" text-anchor="middle">${rate}</text>`,
  );
  const lines = all.map((one, i) => {
    const name = names[i % names.length] as string;
    const points = of(one).map(({ perSecond, p99 }) => [at(x(perSecond)), at(y(p99))] as const);
    const label = `${one.replicas} ${one.replicas === 1 ? 'replica' : 'replicas'}: ${throughput(of(one))?.perSecond ?? 0}`;
    return `<polyline class="line ${name}" points="${points.map((point) => point.join(',')).join(' ')}"/>
  ${points.map(([cx, cy]) => `<circle class="dot ${name}" cx="${cx}" cy="${cy}" r="3"/>`).join('')}
  <text class="name ${name}" x="${left + 10}" y="${plot.top + 18 + i * 18}">${label} a second</text>`;
  });
  return `<text class="title" x="${left}" y="${plot.top - 16}">${title}</text>
  ${[...ticks, ...marks].join('\n  ')}
  <line class="limit" x1="${left}" y1="${at(y(limit))}" x2="${left + plot.width}" y2="${at(y(limit))}"/>
  <text class="soft" x="${left + 10}" y="${at(y(limit) + 15)}">limit ${limit} ms</text>
  ${lines.join('\n  ')}`;
}

/** Where a value lies between two others, by their ratios: from 0 to 1. */
const part = (value: number, least: number, most: number) =>
  Math.min(1, Math.max(0, Math.log(value / least) / Math.log(Math.max(most, 2 * least) / least)));

const at = (coordinate: number) => coordinate.toFixed(1);
