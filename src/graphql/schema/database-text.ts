import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { GatewayError } from '../../model/errors.ts';

/**
 * A text for comparison in the database or the subgraph; undefined for null. A NUL or half a surrogate pair
 * makes both fail as if they were broken.
 * @throws GatewayError INVALID_INPUT that names the input.
 */
export function databaseText(text: string | null | undefined, path: string[]): string | undefined {
  if (text == null) return undefined;
  const fault = jsonbFault(text);
  if (!fault) return text;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${path.join('.')} ${fault.why}, which nothing here can have.`,
    path,
  });
}
