import { GatewayError } from './errors.ts';

/** The page size when the caller names none. */
export const defaultFirst = 20;

/** The subgraph returns at most 1,000 rows, and one of them shows whether there is a next page. */
export const maxFirst = 999;

export const isPageSize = (size: unknown): size is number =>
  typeof size === 'number' && size >= 0 && size <= maxFirst;

/** The size of a page, which the argument `name` requests. @throws GatewayError when it is out of bounds. */
export function pageSize(requested: number | null | undefined, name: string): number {
  const size = requested ?? defaultFirst;
  if (isPageSize(size)) return size;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${name} must be from 0 to ${maxFirst}, not ${size}.`,
    path: [name],
  });
}
