import { createClient } from '@srr-gateway/client';
import { gateway, token } from './settings.ts';

/** The client for uploads, issuing and following, which Apollo does not offer. */
export const client = createClient({ url: gateway, token: token.get });
