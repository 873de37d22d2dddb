import { escapeHtml } from '../http/html.ts';
import type { ListedDelivery } from './deliveries.ts';

const style = `:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:CanvasText;background:Canvas}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.4rem .8rem;border-bottom:1px solid #8886}
pre{max-height:16rem;overflow:auto;background:#8882;padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere}.failed,.dropped{color:light-dark(#a11,#f99)}.delivered{color:light-dark(#161,#8d8)}
button{font:inherit}a{margin-right:1rem}
@media(max-width:48rem){body{margin:1rem}thead{display:none}tr,td{display:block}tr{padding:.6rem 0;border-bottom:1px solid #8886}
td{padding:.2rem 0;border:0;overflow-wrap:anywhere}}`;

/** An HTML page of the deliveries in the given order, with attempts and body. It loads no other resource. */
export function deliveryPage(
  counts: Readonly<Record<string, number>>,
  deliveries: readonly ListedDelivery[],
): string {
  const filters = Object.entries(counts).map(
    ([status, count]) => `<a class="${status}" href="?status=${status}">${count} ${status}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Webhook deliveries</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>Webhook deliveries</h1>
<p><a href="?">all</a>${filters.join('')}</p>
<table><thead><tr><th>Created</th><th>Type</th><th>Status</th><th>Attempts</th><th>Content</th><td></td></tr></thead>
<tbody>${deliveries.map(row).join('\n')}</tbody></table>
${deliveries.length === 0 ? '<p>There are none.</p>' : ''}</main></body></html>
`;
}

function row(delivery: ListedDelivery): string {
  const { id, status, body, tries, createdAt, nextAttemptAt } = delivery;
  const attempts = tries.map(({ at, status: answer, error }) => `${at}: ${answer ?? error}`);
  if (nextAttemptAt) attempts.push(`next at ${nextAttemptAt}`);
  const entries = body.data.length === 1 ? '1 entry' : `${body.data.length} entries`;
  return `<tr><td>${createdAt}</td><td>${escapeHtml(body.type)}<br><small>${escapeHtml(delivery.issuer)}</small></td>
<td class="${status}">${status}</td><td>${attempts.map(escapeHtml).join('<br>')}</td>
<td><details><summary>${entries}</summary><pre tabindex="0">${escapeHtml(JSON.stringify(body, null, 2))}</pre></details></td>
<td><form method="post" action="deliveries/${id}/again"><button>Send again</button></form></td></tr>`;
}
