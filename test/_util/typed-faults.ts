import { expect } from 'vitest';

// The errors of the gateway for each fault: a code, and a message with a remedy.

export const keyFault = {
  code: 'UNAUTHENTICATED',
  message: expect.stringMatching(/API key .*(Check both|not valid for)/),
};
export const spaceFault = {
  code: 'FILENAME_HAS_SPACE',
  message: expect.stringMatching(/has white space; use - or _/),
};
export const extensionFault = {
  code: 'FILENAME_EXTENSION_MISSING',
  message: expect.stringMatching(/needs an extension, such as/),
};
export const sizeFault = { code: 'FILE_TOO_LARGE', message: expect.stringMatching(/must be smaller than/) };
export const takenFault = {
  code: 'FILENAME_TAKEN',
  message: expect.stringMatching(/Choose another filename/),
};
export const tokenFault = {
  status: 401,
  code: 'UNAUTHENTICATED',
  message: expect.stringMatching(/Send "Authorization: Bearer <token>"/),
};
export const noTokenFault = { code: 'UNAUTHENTICATED', message: expect.stringMatching(/bearer <?token/i) };
export const scopeFault = { code: 'FORBIDDEN', message: expect.stringMatching(/scope/) };
