import type { Span } from '@srr-gateway/common/tracing/span';
import type { Upstream } from '../model/errors.ts';

/** The trace span of one attempt to call an upstream. It names only the host: paths may hold keys. */
export const callSpan = ({
  upstream,
  host,
  attempt = 1,
}: {
  upstream: Upstream;
  host: string;
  attempt?: number;
}): Span => ({
  name: `call ${upstream}`,
  kind: 'CLIENT',
  attributes: { 'srr.upstream': upstream, 'server.address': host, 'srr.attempt': attempt },
});
