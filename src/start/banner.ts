import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxInfo } from '@srr-gateway/sandbox';

/** Credentials that are accepted only with the sandbox, and only while no issuers are configured. */
interface Demo {
  token: string;
  webhookKey: string;
}

/** Addresses and commands for a person who has just started the gateway with the sandbox. */
export function banner(url: string, info: SandboxInfo, demo: Demo | undefined): string {
  const token = demo?.token ?? '<token>';
  const built = existsSync(join(import.meta.dirname, '../../examples/gallery/dist'));
  const gallery = built ? '\n  Gallery         http://127.0.0.1:4300/   (once `npm run gallery` runs)' : '';
  return `
srr-gateway is ready, with a sandbox behind it on this machine.

  GraphiQL        ${url}/
  Token           ${demo ? token : 'one of your issuers’'}   (header: Authorization: Bearer ${token})
  Webhooks in     ${url}/webhooks/commerce   (header: x-api-key: ${demo?.webhookKey ?? '<webhook key>'})

  Sandbox         ${info.commerceUrl}/   (a page that leads to everything)
                  ${info.commerceUrl}/docs/   (try every endpoint)
                  ${info.commerceUrl}/sandbox   (addresses and play keys, as JSON)
  Subgraph        ${info.subgraphUrl}
  IPFS gateway    ${info.ipfsUrl}/ipfs/<cid>
  EVM JSON-RPC    ${info.rpcUrl}${gallery}

Issue real files and see the result:   ${demoCommand(url, info.commerceUrl)}
A first query:

  curl ${url}/graphql -H 'content-type: application/json' -H 'authorization: Bearer ${token}' \\
    -d '{"query":"{ viewer { issuer } sources { kind health } }"}'

`;
}

/** The command for another terminal, which lacks the variables of this one. */
function demoCommand(url: string, sandbox: string): string {
  const options = [
    ...(url === 'http://127.0.0.1:4000' ? [] : ['--url', url]),
    ...(sandbox === 'http://127.0.0.1:4001' ? [] : ['--sandbox', `${sandbox}/sandbox`]),
  ];
  return ['npm run demo', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
}
