import { parseAddress } from '@srr-gateway/common/address';
import { z } from 'zod';

/** Definitions that the requests and responses of all routes share. */

export const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]);
export const bytes32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)]);
export const time = z.iso.datetime();

/** An address in any letter case. Only the commerce API refuses a wrong checksum. */
export function addressInAnyCase(refusal: string | ((text: string) => string)) {
  const error = ({ input }: { input?: unknown }) =>
    typeof refusal === 'string' ? refusal : refusal(String(input));
  return z
    .string()
    .regex(/^0[xX][0-9a-fA-F]{40}$/, { error })
    .transform((text) => parseAddress(text.toLowerCase()) ?? z.NEVER);
}
