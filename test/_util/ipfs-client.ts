import { createLogger } from '@srr-gateway/common/log';
import { onTestFinished } from 'vitest';
import { createIpfs, type Ipfs, type IpfsOptions } from '../../src/clients/ipfs/ipfs.ts';

const log = createLogger({ level: 'silent', name: 'test' });

/** A client of these gateways that is closed when the test ends. */
export function ipfsClient(gateways: string[], options: Partial<IpfsOptions> = {}): Ipfs {
  const ipfs = createIpfs({ gateways, log, ...options });
  onTestFinished(() => ipfs.close());
  return ipfs;
}
