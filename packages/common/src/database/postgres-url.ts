import { z } from 'zod';

/** A slash or a hash in a password breaks the address, and `openssl rand -base64` makes slashes. */
export const encodePassword = 'percent-encode what is not a letter or digit in the password';

/** The driver supports one host: it would take a list of hosts for a single name. */
export const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  hostname: /^[^,]*$/,
  error: `must be a postgres:// address of one host; ${encodePassword}`,
});
