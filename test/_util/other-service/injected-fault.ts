import type { Surface, Variants } from './variants.ts';

/** A fault of one call. */
export interface InjectedFault {
  /** BEFORE: the call has no effect. AFTER: it is processed, but its own response is not sent. */
  when: 'BEFORE' | 'AFTER';
  /** LOST: the connection breaks. SILENT: there is no response. OWN: the call's own response is sent late. */
  answer: { status: number; body: unknown } | 'LOST' | 'SILENT' | 'OWN';
  /** The delay before the response, or before the connection breaks. */
  delayMs?: number;
}

const refused = (status: number, message: unknown): InjectedFault => ({
  when: 'BEFORE',
  answer: { status, body: { statusCode: status, message } },
});

/** The documented faults. */
export const serviceFaults = {
  serviceError: (reason: string, when: InjectedFault['when'] = 'BEFORE'): InjectedFault => ({
    ...refused(500, `SERVICE_ERROR: ${reason}`),
    when,
  }),
  unknownError: (externalId: string, when: InjectedFault['when'] = 'BEFORE'): InjectedFault => ({
    ...refused(500, `UNKNOWN_ERROR: external ID: ${externalId}`),
    when,
  }),
  badGateway: (when: InjectedFault['when'] = 'BEFORE'): InjectedFault => ({
    ...refused(502, 'Bad Gateway'),
    when,
  }),
  unauthorised: (address: string): InjectedFault => refused(401, `API Key is not valid for ${address}`),
  refused,
  lost: (when: InjectedFault['when']): InjectedFault => ({ when, answer: 'LOST' }),
  silent: (when: InjectedFault['when']): InjectedFault => ({ when, answer: 'SILENT' }),
  slow: (delayMs: number): InjectedFault => ({ when: 'AFTER', answer: 'OWN', delayMs }),
};

/** The fault of a call; one that was set for the next call is used up. */
export function takeInjectedFault(variants: Variants, surface: Surface): InjectedFault | undefined {
  return variants.next[surface]?.shift() ?? variants.always[surface];
}
