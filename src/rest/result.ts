import type { GraphQLError } from 'graphql';
import type { RefusedOperation } from '../graphql/transport/operation-runner.ts';
import type { OperationResult } from '../operations/operations.ts';
import { codesOfInput, isKnown } from '../operations/refusals.ts';
import { variableFaults } from '../operations/variables.ts';
import type { Endpoint } from './endpoints.ts';
import {
  type Fault,
  faultOfData,
  faultOfError,
  inputLocation,
  pointer,
  problem,
  type UserError,
} from './problems.ts';

export type Values = Record<string, unknown>;

/**
 * The answer of a result. Its `errors` list the missing parts.
 * @throws HttpError when the operation was refused, failed, or found nothing.
 */
export function answerOf(
  endpoint: Endpoint,
  result: OperationResult | RefusedOperation,
  values: Values,
): Values {
  const { errors = [] } = result;
  const data = 'data' in result ? result.data : undefined;
  const path = [...endpoint.at];
  const name = path.pop() ?? '';
  const payload = path.reduce<Values | null | undefined>((one, key) => one?.[key] as Values | null, data);
  const userErrors = (payload?.userErrors ?? []) as UserError[];
  if (userErrors.length > 0) throw problem(userErrors.map((error) => faultOfData(endpoint, error)));
  const found = payload?.[name] as Values | null | undefined;
  const refused = errors.filter(({ extensions }) => codesOfInput.has(String(extensions.code)));
  if (refused.length > 0) throw failure(endpoint, { ...result, errors: refused }, values);
  if (!isKnown(found))
    throw errors.length > 0 ? failure(endpoint, result, values) : notFound(endpoint, values);
  const answer = endpoint.shape.toJson(found) as Values;
  return errors.length > 0 ? { ...answer, errors: errors.map((one) => missingPart(endpoint, one)) } : answer;
}

function failure(endpoint: Endpoint, result: OperationResult | RefusedOperation, values: Values) {
  const { errors = [] } = result;
  const isInput = errors[0]?.extensions.code === 'INVALID_INPUT';
  const faults = (isInput ? variableFaults(endpoint.variables, values) : []).map(({ path, message }) => ({
    code: 'INVALID_INPUT',
    detail: message,
    ...inputLocation(endpoint, path),
  }));
  if (faults.length > 0) return problem(faults);
  const status = 'status' in result ? result.status : undefined;
  return problem(
    errors.map((error) => faultOfError(endpoint, error)),
    status,
  );
}

function notFound({ inPath, whenMissing }: Endpoint, values: Values) {
  const parameter = inPath?.name ?? '';
  const detail = `There is nothing with the ${parameter} "${String(values[parameter]).slice(0, 100)}". ${whenMissing}`;
  return problem([{ code: 'NOT_FOUND', detail, parameter }]);
}

/** The fault of a missing part of the answer, with the place of that part. */
function missingPart({ at }: Endpoint, { message, path = [], extensions }: GraphQLError): Fault {
  const below = path.slice(at.length).flatMap((one) => {
    if (one === 'node') return [];
    return one === 'edges' ? ['items'] : [one];
  });
  return { code: String(extensions.code ?? 'UNKNOWN_ERROR'), detail: message, pointer: pointer(below) };
}
