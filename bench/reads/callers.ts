/** The callers of a gateway with limits, authentication and counted requests. */

const token = 'a-token-of-the-bench';
/** Callers on the same machine are counted only behind a proxy. */
const proxied = { 'x-forwarded-for': '203.0.113.7' };

export const anonymousCaller: Record<string, string> = proxied;
export const callerWithToken: Record<string, string> = { ...proxied, authorization: `Bearer ${token}` };

/** So high that no caller reaches the limit, but every request is counted. */
export const guardedEnv = {
  RATE_LIMIT: '1000000000',
  COST_LIMIT: '1000000000000',
  TRUSTED_PROXIES: '1',
  ISSUERS: JSON.stringify([
    {
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      apiKey: 'a-key-of-the-bench',
      tokens: [{ token, scopes: ['read'] }],
    },
  ]),
};
