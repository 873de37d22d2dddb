import { escapeHtml } from '../http/html.ts';
import type { World } from '../licensing/participants.ts';
import type { Db } from '../store/tables.ts';

interface HomeOptions {
  db: Db;
  world: World;
  origin: string;
  rpcUrl: string;
}

/** Enough to fill a wide window twice. */
const picturesShown = 24;

/**
 * The HTML of the sandbox's home page: addresses, issuers and artists, and published pictures. Its links are
 * relative, because SANDBOX_PUBLIC_URL may have a path.
 */
export async function homePage({ db, world, origin, rpcUrl }: HomeOptions): Promise<string> {
  const pictures = await db
    .selectFrom('published')
    .select('cid')
    .where('content_type', 'like', 'image/%')
    .orderBy('cid')
    .limit(picturesShown)
    .execute();
  const [{ records, collections } = { records: '0', collections: '0' }] = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('srr')
        .select((inner) => inner.fn.countAll<string>().as('n'))
        .where('status', '=', 'issued')
        .as('records'),
      eb
        .selectFrom('collection')
        .select((inner) => inner.fn.countAll<string>().as('n'))
        .where('status', '=', 'created')
        .as('collections'),
    ])
    .execute();
  const owner = world.buyers[0]?.address ?? '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Issuance service sandbox</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<main>
<h1>Issuance service sandbox</h1>
<p>A complete issuance service on this machine: commerce API, storage, chain, subgraph, IPFS gateway, webhooks.
It holds <b>${records}</b> issued records in <b>${collections}</b> collections. Its keys are public and open nothing else.</p>
<nav>
${card('docs/', 'Try every endpoint', 'All endpoints on one page, with the play key filled in')}
${card('docs/openapi.json', 'OpenAPI', 'The same for programs: generate a client from it')}
${card('sandbox', 'Addresses and keys', 'Everything that a program needs, as JSON')}
${card('sandbox/deliveries', 'Webhook deliveries', 'Sent, failed and queued deliveries')}
${card('sandbox/faults', 'Test mode', 'Armed faults; arm more on the page of all endpoints')}
${card(`port/api/v1/ownerAddress/${owner}/ownedSrrs?limit=5`, 'A buyer’s records', 'Five records with their metadata')}
</nav>
<dl>
<dt>Commerce API</dt><dd><code>${escapeHtml(origin)}/port/api/v1/commerce</code></dd>
<dt>Subgraph</dt><dd><code>${escapeHtml(origin)}/subgraph</code> (POST GraphQL)</dd>
<dt>IPFS gateway</dt><dd><code>${escapeHtml(origin)}/ipfs/&lt;cid&gt;</code></dd>
<dt>EVM JSON-RPC</dt><dd><code>${escapeHtml(rpcUrl)}</code></dd>
</dl>
${pictures.length > 0 ? `<h2>Pictures</h2><div class="pictures">${pictures.map(({ cid }, index) => `<a href="ipfs/${cid}"><img loading="lazy" alt="Picture ${index + 1}" src="ipfs/${cid}"></a>`).join('')}</div>` : ''}
<h2>Issuers</h2>
<table><tr><th>Name<th>issuer-address<th>commerce-api-key</tr>
${world.issuers.map(({ name, address, apiKey }) => `<tr><td>${escapeHtml(name)}<td><code>${escapeHtml(address)}</code><td><code>${escapeHtml(apiKey)}</code></tr>`).join('\n')}
</table>
<h2>Artists</h2>
<table><tr><th>Name<th>artistAddress</tr>
${world.artists.map(({ name, address }) => `<tr><td>${escapeHtml(name)}<td><code>${escapeHtml(address)}</code></tr>`).join('\n')}
</table>
</main>
`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 64rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { margin: 0 0 .5rem; } h2 { margin: 2.25rem 0 .75rem; font-size: 1.15rem; }
nav { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .75rem; margin: 1.5rem 0; }
nav a { padding: .9rem 1rem; border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: .6rem; text-decoration: none; color: inherit; }
nav a:hover, nav a:focus-visible { border-color: #3b6fd4; } nav b { display: block; color: #3b6fd4; } nav span { font-size: .9rem; opacity: .75; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; } dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } th { text-align: left; font-weight: 600; opacity: .7; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); } code { font-size: .9em; overflow-wrap: anywhere; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: .6rem; } img { width: 100%; aspect-ratio: 4 / 5; object-fit: cover; border-radius: .35rem; display: block; }
`;

function card(href: string, title: string, what: string): string {
  return `<a href="${escapeHtml(href)}"><b>${escapeHtml(title)}</b><span>${escapeHtml(what)}</span></a>`;
}
