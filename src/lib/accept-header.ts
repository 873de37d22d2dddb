/** The values of an `Accept-…` header with their weights; NaN for an unreadable weight. */
export function acceptedValues(header: string | undefined): [value: string, weight: number][] {
  if (!header) return [];
  return header.split(',').map((one) => {
    const [value = '', ...parameters] = one.split(';').map((part) => part.trim());
    const q = parameters.find((part) => /^q=/i.test(part));
    return [value, q === undefined ? 1 : Number(q.slice(2))];
  });
}

/** The languages of `Accept-Language`, preferred ones first, without malformed tags. */
export function acceptedLanguages(header: string | undefined): string[] {
  return acceptedValues(header)
    .filter(([tag, weight]) => /^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$/.test(tag) && weight > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([tag]) => tag);
}
