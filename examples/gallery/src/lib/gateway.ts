import { createClient } from '@srr-gateway/client';
import { gateway, token } from './settings.ts';

/** For what Apollo has nothing for: uploads, issuing, following. */
export const client = createClient({ url: gateway, token: token.get });
