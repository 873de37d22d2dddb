import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { YogaServerOptions } from 'graphql-yoga';
import { HttpError } from '../../lib/http-error.ts';
import { type Body, compressed, send } from '../../lib/send.ts';

/** The values that the prepared operations need to run unchanged. Known only with the sandbox. */
export interface Showcase {
  token: string;
  variables: Record<string, unknown>;
}

const folder = new URL('../operations/', import.meta.url);

/** The prepared operations, in the order of their file names. */
export function preparedOperations(): { name: string; document: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ name, document: readFileSync(new URL(name, folder), 'utf8') }));
}

/** A file of the page. Its name has its hash, so browsers keep it for ever. The path is relative to the page. */
interface Asset extends Body {
  path: string;
  type: string;
}

const asset = (name: string, type: string, body: Buffer): Asset => ({
  path: `graphiql/${hash('sha256', body).slice(0, 16)}-${name}`,
  type,
  body,
  bytes: body.length,
  isLasting: true,
});

/** The assets are nine megabytes, so they are loaded only when somebody opens the page. */
async function loadAssets() {
  const { css, editorWorkerService, favicon, graphqlWorker, js, jsonWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  );
  const script = (name: string, text: string) => asset(name, 'text/javascript', Buffer.from(text));
  const [, type = '', icon = ''] = /^data:([^;]+);base64,(.+)$/.exec(favicon) ?? [];
  return {
    icon: asset('icon', type, Buffer.from(icon, 'base64')),
    css: asset('style.css', 'text/css', Buffer.from(css)),
    library: script('graphiql.js', js),
    page: script('page.js', readFileSync(new URL('page.js', import.meta.url), 'utf8')),
    editorWorkerService: script('editor.js', editorWorkerService),
    json: script('json.js', jsonWorker),
    graphql: script('graphql.js', graphqlWorker),
  };
}

let loading: ReturnType<typeof loadAssets> | undefined;
const assets = () => {
  loading ??= loadAssets();
  return loading;
};

/** Answers requests for the page's files. @throws HttpError 404. */
export async function graphiqlAssets(_req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
  const found = Object.values(await assets()).find(({ path }) => `/${path}` === url.pathname);
  if (!found)
    throw new HttpError(404, 'This file belongs to another version of GraphiQL. Load /graphql again.');
  const headers = ['cache-control', 'public, max-age=31536000, immutable'];
  send(res, 200, `${found.type}; charset=utf-8`, found, headers);
}

/** GraphiQL as a page of our own origin, with the prepared operations in its tabs. */
export function graphiqlOptions(
  showcase: Showcase | undefined,
): Pick<YogaServerOptions<object, object>, 'graphiql' | 'renderGraphiQL'> {
  const tabs = preparedOperations().map(({ document }) => {
    const names = [...document.matchAll(/\$(\w+)\s*:/g)].map(([, name]) => name as string);
    const variables = Object.fromEntries(
      names.flatMap((name) =>
        showcase && name in showcase.variables ? [[name, showcase.variables[name]]] : [],
      ),
    );
    return { query: document, variables: JSON.stringify(variables, null, 2) };
  });
  return {
    graphiql: true,
    renderGraphiQL: async () => {
      const files = await assets();
      const { library, css, editorWorkerService, json, graphql } = files;
      // The browser requests these next, so compress them now.
      for (const one of [library, css]) compressed(one, 'br').catch(() => {});
      const workers = { editorWorkerService, json, graphql };
      const settings = {
        tabs,
        token: showcase?.token ?? '',
        workers: Object.fromEntries(Object.entries(workers).map(([label, { path }]) => [label, path])),
      };
      return page({ ...files, settings, welcome: tabs[0]?.query ?? '' });
    },
  };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * The page. Until its scripts run, it shows the first operation as text; a stylesheet in the head would delay even
 * that.
 */
const page = (parts: {
  icon: Asset;
  css: Asset;
  library: Asset;
  page: Asset;
  settings: object;
  welcome: string;
}) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>srr-gateway</title>
<link rel="icon" href="${parts.icon.path}">
<link rel="preload" as="script" href="${parts.library.path}">
<link rel="preload" as="style" href="${parts.css.path}">
<style>
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; font: 14px/1.4 system-ui, sans-serif; }
#sign-in { display: flex; gap: 8px; align-items: center; padding: 6px 16px; background: #21262f; color: #fff; }
#sign-in input { width: 22em; max-width: 60vw; padding: 4px 8px; border: 1px solid #8a93a3; border-radius: 4px; font: inherit; }
#sign-in output { opacity: 0.85; }
#root { flex: 1; min-height: 0; }
#root > pre { margin: 0; padding: 80px 32px; }
/* GraphiQL's tabs keep a leftover shift until they have the focus, and slide away at the first click. */
.graphiql-tab { transform: none !important; }
</style>
</head>
<body class="no-focus-outline">
<form id="sign-in">
<label for="token">Token for all tabs</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="none: what anybody may read">
<output for="token"></output>
</form>
<div id="root"><pre>${escaped(parts.welcome)}</pre></div>
<link rel="stylesheet" href="${parts.css.path}">
<script type="application/json" id="settings">${JSON.stringify(parts.settings).replaceAll('<', '\\u003c')}</script>
<script src="${parts.page.path}"></script>
<script src="${parts.library.path}"></script>
<script>renderPage();</script>
</body>
</html>
`;
