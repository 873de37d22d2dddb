/** The metrics of a gateway at `/metrics`. */
export async function metricsOf(url: string): Promise<string> {
  return (await fetch(new URL('/metrics', url))).text();
}

/** The sum of all series of a metric with these labels; 0 when there is none. */
export async function metric(
  url: string,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const wanted = Object.entries(labels).map(([label, value]) => `,${label}="${value}"`);
  return (await metricsOf(url))
    .split('\n')
    .map((line) => line.replace('{', ' ,'))
    .filter((line) => line.startsWith(`${name} `) && wanted.every((one) => line.includes(one)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
