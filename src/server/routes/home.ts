import type { Route } from '../server.ts';

/** Redirects a person who opens the bare address to GraphiQL. */
export const homeRoute: Route = {
  method: 'GET',
  matches: (pathname) => pathname === '/',
  handle: async (_req, res) => void res.writeHead(302, { location: '/graphql' }).end(),
};
