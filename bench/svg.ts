interface Page {
  title: string;
  /** Text alternative for screen readers. */
  description: string;
  width: number;
  height: number;
  /** Colors by name, for light and dark mode. Styles use them as `var(--name)`. */
  colors: Record<string, [light: string, dark: string]>;
  style: string;
  body: string;
}

const shared = {
  page: ['#ffffff', '#0d1117'],
  edge: ['#d0d7de', '#30363d'],
  text: ['#1f2328', '#e6edf3'],
  soft: ['#59636e', '#9da7b1'],
} satisfies Page['colors'];

export const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A picture for a README that follows the reader's light or dark mode. */
export function page({ title, description, width, height, colors, style, body }: Page): string {
  const all = Object.entries({ ...shared, ...colors });
  const named = (scheme: 0 | 1) => all.map(([name, of]) => `--${name}: ${of[scheme]};`).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d" font-family="system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif" font-size="13">
  <title id="t">${xml(title)}</title>
  <desc id="d">${xml(description)}</desc>
  <style>
    svg { ${named(0)} }
    @media (prefers-color-scheme: dark) {
      svg { ${named(1)} }
    }
    .page { fill: var(--page); stroke: var(--edge); }
    .title { fill: var(--text); font-weight: 600; }
    .soft { fill: var(--soft); font-size: 12px; }
    ${style}
  </style>
  <rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>
  ${body}
</svg>
`;
}
