// Runs in the browser, before GraphiQL: one token for all tabs, and tabs that are never empty.

const settings = JSON.parse(document.querySelector('#settings').textContent);
const field = document.querySelector('#token');
const said = document.querySelector('#sign-in output');

self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => settings.workers[label] ?? settings.workers.editorWorkerService,
};

// sessionStorage, so that closing the tab forgets the token: the next user of a shared machine must not get it.
field.value = sessionStorage.getItem('token') ?? settings.token;
field.addEventListener('input', () => {
  sessionStorage.setItem('token', field.value);
  said.textContent = '';
});
document.querySelector('#sign-in').addEventListener('submit', (event) => event.preventDefault());

/** The schema is the same for every caller, so a wrong token must not hide the documentation. */
function isIntrospection(body) {
  try {
    return JSON.parse(body).operationName === 'IntrospectionQuery';
  } catch {
    return false;
  }
}

const send = self.fetch.bind(self);
self.fetch = async (resource, init = {}) => {
  const headers = new Headers(init.headers);
  const token = field.value.trim();
  const withoutToken = isIntrospection(init.body);
  if (withoutToken) headers.delete('authorization');
  else if (token !== '' && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  const response = await send(resource, { ...init, headers });
  if (!withoutToken) said.textContent = response.status === 401 ? 'This token is not known.' : '';
  return response;
};

/** The tabs of the last visit that have something in them; undefined without one. */
function lastTabs() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const active = tabs[activeTabIndex];
    const written = tabs.filter(({ query }) => query?.trim());
    // Headers of earlier versions of this page held a token.
    for (const tab of written) tab.headers = null;
    return written.length > 0 ? { tabs: written, active: Math.max(0, written.indexOf(active)) } : undefined;
  } catch {
    return undefined;
  }
}

/** The tabs to open: a query in the address, the tabs of the last visit, or Welcome. */
function opening() {
  const linked = new URLSearchParams(location.search).get('query')?.trim() ? location.search : undefined;
  const query = linked && new URLSearchParams(linked).get('query');
  const last = lastTabs();
  for (const name of ['query', 'variables', 'headers', 'tabState'])
    localStorage.removeItem(`graphiql:${name}`);
  if (!last) {
    const tabs = query ? [{ query, variables: '' }, ...settings.tabs] : settings.tabs;
    return { defaultTabs: tabs, query: tabs[0].query, variables: tabs[0].variables };
  }
  const found = query ? last.tabs.findIndex((tab) => tab.query === query) : last.active;
  localStorage.setItem(
    'graphiql:tabState',
    JSON.stringify({ tabs: last.tabs, activeTabIndex: Math.max(0, found) }),
  );
  const tab = last.tabs[found] ?? { query, variables: '' };
  return { query: tab.query, variables: tab.variables ?? '' };
}

// biome-ignore lint/correctness/noUnusedVariables: the page calls it once GraphiQL is loaded
function renderPage() {
  self.YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    title: 'srr-gateway',
    ...opening(),
    defaultQuery: settings.tabs[0].query,
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
    // undefined keeps GraphiQL's default plugins, such as the history.
    plugins: undefined,
  });
}
