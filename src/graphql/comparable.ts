import { jsonbFault } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';

/**
 * A text that the store or the index will compare with its own. Neither has a NUL or half a character, and
 * asked for one, both fail as if they were broken. @throws GatewayError INVALID_INPUT that names the input.
 */
export function comparable(text: string | null | undefined, path: string[]): string | undefined {
  if (text == null) return undefined;
  const fault = jsonbFault(text);
  if (!fault) return text;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${path.join('.')} ${fault.why}, which nothing here can have.`,
    path,
  });
}
