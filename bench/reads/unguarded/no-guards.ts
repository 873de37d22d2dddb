import type { Plugin } from 'graphql-yoga';
import type { Authenticator as Proving } from '../../../src/access/authenticate.ts';
import { anonymous } from '../../../src/access/caller.ts';
import type { Hook } from '../../../src/server/response.ts';

/** Stubs for the limits, which check nothing. */
const nothing = (): Plugin => ({});
export const queryLimits = nothing;
export const limitExceeded = () => new Error('nobody is told');

const passes: Hook = () => {};
export const pipelining = () => passes;
export const rateLimit = () => passes;
export const streamLimit = () => () => undefined;
export const limitConnections = () => {};
export const limitUnread = () => {};
export const limitSlowBodies = () => passes;

/** Stub for authentication: every caller is anonymous. */
export class Authenticator implements Pick<Proving, 'caller' | 'verify' | 'verifiedIssuer'> {
  async caller() {
    return anonymous;
  }

  async verify() {
    return undefined;
  }

  verifiedIssuer() {
    return undefined;
  }
}
