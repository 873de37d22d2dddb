export type ResponseFormat = 'file' | 'raw' | 'car';

const mediaTypes: Record<string, ResponseFormat> = {
  'application/vnd.ipld.raw': 'raw',
  'application/vnd.ipld.car': 'car',
};

/**
 * The format that a request asks for. `?format=` wins over `Accept`, as the gateway specification says.
 * `undefined` when this gateway does not serve the format.
 */
export function responseFormat(
  query: URLSearchParams,
  accept: string | undefined,
): ResponseFormat | undefined {
  const format = query.get('format');
  if (format !== null) return format === 'raw' || format === 'car' ? format : undefined;
  for (const part of accept?.split(',') ?? []) {
    const mediaType = part.split(';')[0]?.trim().toLowerCase() ?? '';
    const format = mediaTypes[mediaType];
    if (format) return format;
    if (mediaType.startsWith('application/vnd.ipld.')) return undefined;
  }
  return 'file';
}

/** Whether `If-None-Match` has the etag, by weak comparison as RFC 9110 requires. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch?.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag)) ?? false;
}
