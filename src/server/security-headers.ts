import type { Gate } from './server.ts';

/**
 * What browsers are told of every answer: to take it for what it says it is, to show it in no frame of
 * another page, and to tell nobody its address. GraphiQL is one page with its scripts inside.
 */
export function securityHeaders(publicUrl: string | undefined): Gate {
  const headers = new Map([
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['content-security-policy', "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-resource-policy', 'cross-origin'],
    // Of a gateway that clients reach by https, only.
    ...(publicUrl?.startsWith('https:') ? [['strict-transport-security', 'max-age=31536000'] as const] : []),
  ]);
  return (_req, res) => {
    res.setHeaders(headers);
    return true;
  };
}
