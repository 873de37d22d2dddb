import type { Surface, Variants } from './variants.ts';

/** What goes wrong with one call. */
export interface Trouble {
  /** BEFORE: the call has no effect. AFTER: it is worked on to the end, and its own answer is not given. */
  when: 'BEFORE' | 'AFTER';
  /** LOST: the connection breaks. SILENT: no answer ever comes. OWN: the true answer, only later. */
  answer: { status: number; body: unknown } | 'LOST' | 'SILENT' | 'OWN';
  /** Before the answer, or its absence. */
  delayMs?: number;
}

const refused = (status: number, message: unknown): Trouble => ({
  when: 'BEFORE',
  answer: { status, body: { statusCode: status, message } },
});

/** The document's own troubles, by its words. */
export const troubles = {
  serviceError: (reason: string, when: Trouble['when'] = 'BEFORE'): Trouble => ({
    ...refused(500, `SERVICE_ERROR: ${reason}`),
    when,
  }),
  unknownError: (externalId: string, when: Trouble['when'] = 'BEFORE'): Trouble => ({
    ...refused(500, `UNKNOWN_ERROR: external ID: ${externalId}`),
    when,
  }),
  badGateway: (when: Trouble['when'] = 'BEFORE'): Trouble => ({ ...refused(502, 'Bad Gateway'), when }),
  unauthorised: (address: string): Trouble => refused(401, `API Key is not valid for ${address}`),
  refused,
  lost: (when: Trouble['when']): Trouble => ({ when, answer: 'LOST' }),
  silent: (when: Trouble['when']): Trouble => ({ when, answer: 'SILENT' }),
  slow: (delayMs: number): Trouble => ({ when: 'AFTER', answer: 'OWN', delayMs }),
};

/** Of one call; what was meant for the next one is used up. */
export function troubleOf(variants: Variants, surface: Surface): Trouble | undefined {
  return variants.next[surface]?.shift() ?? variants.always[surface];
}
