import { randomBytes, randomUUID } from 'node:crypto';
import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { assertNoFaults, type Fault } from '../../model/errors.ts';
import { requestIdFault } from '../request-id-fault.ts';

/** The input of one `createCollection` call. */
export interface CollectionInput {
  requestId?: string | undefined;
  name: string;
  symbol: string;
  salt?: string | undefined;
}

/** The input, with a random requestId and salt where the caller gave none. */
export type CheckedInput = Required<{
  [Field in keyof CollectionInput]: NonNullable<CollectionInput[Field]>;
}>;

/**
 * Checks the input of a creation and completes it.
 * @throws GatewayError with every fault of the input.
 */
export function checkInput(input: CollectionInput): CheckedInput {
  const { requestId, name, symbol, salt } = input;
  const faults: Fault[] = [];
  for (const [field, value] of Object.entries({ name, symbol }))
    if (value.trim() === '' || jsonbFault(value))
      faults.push({
        code: 'INVALID_INPUT',
        message: `${field} must be well-formed text without NUL, and not blank. Give the collection a ${field}.`,
        path: ['input', field],
      });
  if (salt !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(salt))
    faults.push({
      code: 'INVALID_INPUT',
      message: 'salt must be 0x and 64 hex digits. Correct it, or leave it out for a random one.',
      path: ['input', 'salt'],
    });
  const badRequestId = requestIdFault(requestId);
  if (badRequestId) faults.push(badRequestId);
  assertNoFaults(faults);
  return {
    requestId: requestId ?? randomUUID(),
    name,
    symbol,
    // In lower case, as in the subgraph.
    salt: salt?.toLowerCase() ?? `0x${randomBytes(32).toString('hex')}`,
  };
}
