import { useEffect, useRef } from 'react';

/** Calls when the element comes near the screen, and again for as long as it stays near. */
export function useInView<Element extends HTMLElement>(active: boolean, onNear: () => void) {
  const element = useRef<Element>(null);
  useEffect(() => {
    if (!active || !element.current) return;
    // A busy page hears of several changes at once; the last one is how it stands.
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && onNear(), {
      // Two screens ahead a page arrives before people do.
      rootMargin: '0px 0px 200% 0px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [active, onNear]);
  return element;
}
