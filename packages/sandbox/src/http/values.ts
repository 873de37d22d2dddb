import { parseAddress } from '@srr-gateway/common/address';
import { z } from 'zod';

/** What stands in requests and answers of every surface. */

export const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]);
export const bytes32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)]);
export const time = z.iso.datetime();

/** An address in any letter case: a wrong checksum is not worth a refusal outside of the commerce API. */
export function addressInAnyCase(refusal: string | ((text: string) => string)) {
  const error = ({ input }: { input?: unknown }) =>
    typeof refusal === 'string' ? refusal : refusal(String(input));
  return z
    .string()
    .regex(/^0[xX][0-9a-fA-F]{40}$/, { error })
    .transform((text) => parseAddress(text.toLowerCase()) ?? z.NEVER);
}
