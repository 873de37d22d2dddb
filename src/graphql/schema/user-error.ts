import { redact } from '@srr-gateway/common/redact';
import { type ErrorCode, errorCodes } from '../../model/error-codes.ts';
import type { Fault } from '../../model/errors.ts';
import { builder } from './builder.ts';

const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description:
    'The code of an error. There is one for each row of the issuance service’s error tables, and the gateway has its own.',
  values: Object.fromEntries(
    Object.entries(errorCodes).map(([code, description]) => [code, { description }]),
  ) as Record<ErrorCode, { description: string }>,
});

export const UserError = builder.objectRef<Fault>('UserError').implement({
  description: 'An error as data: what is wrong, where in the input, and what to do.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      nullable: false,
      description: 'The error code, for programs.',
      resolve: (fault) => fault.code,
    }),
    message: t.exposeString('message', {
      nullable: false,
      description: 'The message for people. It says what to do.',
    }),
    path: t.stringList({
      description:
        'The path into the arguments, such as ["input", "entries", "3", "metadata", "title"]. Null when the error is about no particular value.',
      nullable: { list: true, items: false },
      resolve: (fault) => fault.path,
    }),
    externalId: t.exposeString('externalId', {
      description: 'The external id of the entry that the error is about. Null when it is about no entry.',
    }),
    upstreamMessage: t.string({
      description:
        'The message of the system behind the gateway that reported the error, verbatim up to 2,000 characters. Null when there was none.',
      resolve: ({ upstreamMessage }) => upstreamMessage && redact(upstreamMessage),
    }),
  }),
});

/** Options of the field userErrors of a mutation's result. */
export const userErrorsField = (description: string) => ({
  type: [UserError] as [typeof UserError],
  nullable: { list: false, items: false } as const,
  description,
  resolve: ({ userErrors }: { userErrors: readonly Fault[] }) => [...userErrors],
});
