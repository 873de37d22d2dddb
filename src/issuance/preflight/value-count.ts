/**
 * Up to this many values all errors are collected. Real documents have some hundred values. With millions,
 * the errors would take gigabytes.
 */
export const maxThoroughValues = 10_000;

/** Counts the values of a document. Stops soon after `enough`. */
export function valuesIn(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += valuesIn(value[key as keyof typeof value], enough);
    if (count > enough) break;
  }
  return count;
}
