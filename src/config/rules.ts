/** Set all of them for a live service, or none for the sandbox. */
export const liveNames = ['COMMERCE_URL', 'SUBGRAPH_URL', 'IPFS_GATEWAYS'] as const;

/** A JWT is trustworthy only when all three are checked. */
const jwtNames = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'] as const;

/** Rules that concern several variables. Returns the faults. */
export function faultsBetween(env: Record<string, string | undefined>): string[] {
  const faults: string[] = [];
  const missing = liveNames.filter((name) => env[name] === undefined);
  if (missing.length > 0 && missing.length < liveNames.length)
    faults.push(
      `${missing.join(', ')}: missing. Set all of ${liveNames.join(', ')} for a live service, or none for the sandbox`,
    );
  if (missing.length === 0 && env.ISSUERS === undefined && env.ISSUERS_FILE === undefined)
    if (env.PASSTHROUGH === 'off')
      faults.push('ISSUERS: missing. With PASSTHROUGH=off and no issuer nobody could issue anything');
  if (env.ISSUERS !== undefined && env.ISSUERS_FILE !== undefined)
    faults.push('ISSUERS, ISSUERS_FILE: set one of them, not both');
  const noJwt = jwtNames.filter((name) => env[name] === undefined);
  if (noJwt.length > 0 && noJwt.length < jwtNames.length)
    faults.push(
      `${noJwt.join(', ')}: missing. Set all of ${jwtNames.join(', ')} for sign-in tokens, or none`,
    );
  if (env.DATABASE_URL !== undefined && env.SECRETS_KEY === undefined)
    faults.push(
      'SECRETS_KEY: missing. Replicas that share DATABASE_URL need one key (openssl rand -base64 32)',
    );
  return faults;
}
