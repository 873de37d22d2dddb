import { createClient } from '@srr-gateway/client';
import { gateway, token } from './settings.ts';

const headers = () => (token.get() ? { token: token.get() } : {});

/** For what Apollo has nothing for: uploads, issuing, following. The token is the one of now. */
export const client = () => createClient({ url: gateway, ...headers() });
