import { GatewayError } from '../model/errors.ts';

/** The error for credentials that were given and are not valid. */
export const unauthenticated = (message: string, cause?: unknown) =>
  new GatewayError({ code: 'UNAUTHENTICATED', message }, { cause });
