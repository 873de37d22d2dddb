import { readdirSync, readFileSync } from 'node:fs';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { YogaServerOptions } from 'graphql-yoga';

/** What the prepared operations need to run as they are. Known only with the sandbox. */
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

/** GraphiQL's tabs keep a leftover shift until they have the focus, and slide away at the first click. */
const steadyTabs = '<style>.graphiql-tab { transform: none !important; }</style>';

/** GraphiQL as one page from our own origin, with the prepared operations in its tabs. */
export function graphiqlOptions(
  showcase: Showcase | undefined,
): Pick<YogaServerOptions<object, object>, 'graphiql' | 'renderGraphiQL'> {
  const headers = showcase
    ? JSON.stringify({ authorization: `Bearer ${showcase.token}` }, null, 2)
    : // Records are public; a made-up token would be refused.
      '{}';
  const tabs = preparedOperations().map(({ document }) => {
    const names = [...document.matchAll(/\$(\w+)\s*:/g)].map(([, name]) => name as string);
    const variables = Object.fromEntries(
      names.flatMap((name) =>
        showcase && name in showcase.variables ? [[name, showcase.variables[name]]] : [],
      ),
    );
    return { query: document, headers, variables: JSON.stringify(variables, null, 2) };
  });
  return {
    graphiql: {
      title: 'srr-gateway',
      defaultTabs: tabs,
      defaultHeaders: headers,
      defaultQuery: tabs[0]?.query ?? '',
      subscriptionsProtocol: 'SSE',
      shouldPersistHeaders: true,
    },
    renderGraphiQL: (options) => renderGraphiQL(options).replace('</head>', `${steadyTabs}</head>`),
  };
}
