import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

const subscribe = (listener: () => void) => {
  addEventListener('popstate', listener);
  return () => removeEventListener('popstate', listener);
};
const here = () => location.pathname + location.search;

/** The address of the page: the segments of its path, and its parameters. */
export function useRoute() {
  const url = new URL(useSyncExternalStore(subscribe, here), location.origin);
  return { path: url.pathname.split('/').slice(1), params: url.searchParams };
}

export function navigate(to: string) {
  history.pushState(null, '', to);
  dispatchEvent(new PopStateEvent('popstate'));
  scrollTo(0, 0);
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string };

/** A link that stays in the page, unless it is opened in another tab. */
export function Link({ to, ...props }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={to} onClick={onClick} {...props} />;
}

interface Named {
  contractAddress?: string | null;
  tokenId: string;
}

export const recordPath = ({ contractAddress, tokenId }: Named) =>
  `/record/${contractAddress ?? 'registry'}/${tokenId}`;
