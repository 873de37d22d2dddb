import type { Plugin } from 'graphql-yoga';
import type { Authenticator as Proving } from '../../../src/access/authenticate.ts';
import { anonymous } from '../../../src/access/caller.ts';
import type { Gate } from '../../../src/server/server.ts';

/** In the place of what limits: nothing is looked at. */
const nothing = (): Plugin => ({});
export const anonymousBody = nothing;
export const deadline = nothing;
export const queryLimits = nothing;

const passes: Gate = () => true;
export const slowBodies = () => passes;
export const sentAhead = () => passes;
export const boundUnread = () => {};
export const streamLimit = () => ({ gate: passes, hold: () => undefined });

/** In the place of what proves: everybody is nobody in particular. */
export class Authenticator implements Pick<Proving, 'caller' | 'prove' | 'provenIssuer'> {
  async caller() {
    return anonymous;
  }

  async prove() {
    return undefined;
  }

  provenIssuer() {
    return undefined;
  }
}
