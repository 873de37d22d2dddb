export type ResponseFormat = 'file' | 'raw' | 'car';

const mediaTypes: Record<string, ResponseFormat> = {
  'application/vnd.ipld.raw': 'raw',
  'application/vnd.ipld.car': 'car',
};

/**
 * What a request of the gateway asks for: the query wins over `Accept`, as in the gateway specification.
 * `undefined`: a format that this gateway does not serve.
 */
export function responseFormat(
  query: URLSearchParams,
  accept: string | undefined,
): ResponseFormat | undefined {
  const asked = query.get('format');
  if (asked !== null) return asked === 'raw' || asked === 'car' ? asked : undefined;
  for (const part of accept?.split(',') ?? []) {
    const mediaType = part.split(';')[0]?.trim().toLowerCase() ?? '';
    const format = mediaTypes[mediaType];
    if (format) return format;
    if (mediaType.startsWith('application/vnd.ipld.')) return undefined;
  }
  return 'file';
}

/** A weak comparison, as RFC 9110 has it for `If-None-Match`. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch?.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag)) ?? false;
}
