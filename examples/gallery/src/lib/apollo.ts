import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { possibleTypes, scrolling } from '@srr-gateway/client/apollo';
import { gateway, token } from './settings.ts';

declare module '@apollo/client' {
  namespace ApolloClient.DeclareDefaultOptions {
    interface WatchQuery {
      errorPolicy: 'all';
    }
    interface Query {
      errorPolicy: 'all';
    }
  }
}

const withToken = new ApolloLink((operation, forward) => {
  // Public reads do not send it: an expired token must not break the gallery.
  if (operation.getContext().signedIn && token.get())
    operation.setContext({ headers: { authorization: `Bearer ${token.get()}` } });
  return forward(operation);
});

export const apollo = new ApolloClient({
  link: ApolloLink.from([withToken, new HttpLink({ uri: gateway })]),
  cache: new InMemoryCache({ possibleTypes, typePolicies: scrolling(relayStylePagination) }),
  // Show the data that came in spite of errors: a source that is down costs only its own part.
  defaultOptions: { watchQuery: { errorPolicy: 'all' }, query: { errorPolicy: 'all' } },
});
