import type { Gate } from './server.ts';

/**
 * Tells browsers not to guess content types, not to show responses in a frame of another page, and not to
 * pass on the address. It restricts no scripts: GraphiQL is one page with inline scripts.
 */
export function securityHeaders(publicUrl: string | undefined): Gate {
  const headers = new Map([
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['content-security-policy', "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-resource-policy', 'cross-origin'],
    // Only when clients reach the gateway by https.
    ...(publicUrl?.startsWith('https:') ? [['strict-transport-security', 'max-age=31536000'] as const] : []),
  ]);
  return (_req, res) => {
    res.setHeaders(headers);
    return true;
  };
}
