import { GatewayError } from '../model/errors.ts';

/** Credentials were given and do not hold. */
export const unauthenticated = (message: string, cause?: unknown) =>
  new GatewayError({ code: 'UNAUTHENTICATED', message }, { cause });
