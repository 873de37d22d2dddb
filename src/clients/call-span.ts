import type { Span } from '@srr-gateway/common/tracing/span';
import type { Upstream } from '../model/errors.ts';

/** A call as traces show it: whom it asked, and for which time; never where exactly, as keys may stand there. */
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
