let callers = 0;

/** An address that no test has used. With TRUSTED_PROXIES it is a caller with budgets of its own. */
export function newCallerAddress(): string {
  callers++;
  return `198.18.${callers >> 8}.${callers & 255}`;
}

/** The first half of such an address in IPv6: all addresses that begin with it are one caller. */
export const newCallerNetwork = () => `2001:db8:1:${(++callers).toString(16)}`;
