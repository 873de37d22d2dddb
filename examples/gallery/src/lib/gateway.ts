import { createClient } from '@srr-gateway/client';
import { gateway, token } from './settings.ts';

/** For uploads, issuing and following, which Apollo has nothing for. */
export const client = createClient({ url: gateway, token: token.get });
