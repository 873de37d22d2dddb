import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { GatewayError } from '../../model/errors.ts';

/**
 * Checks a text that is compared in the database or the subgraph; undefined for null. A NUL or a lone surrogate would
 * make the query fail as if the source were down.
 * @throws GatewayError INVALID_INPUT that names the input.
 */
export function databaseText(text: string | null | undefined, path: string[]): string | undefined {
  if (text == null) return undefined;
  const fault = jsonbFault(text);
  if (!fault) return text;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${path.join('.')} ${fault.why}, which no stored text can have. Remove it.`,
    path,
  });
}
