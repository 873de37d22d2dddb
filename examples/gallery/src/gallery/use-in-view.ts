import { useEffect, useRef } from 'react';

/** Calls back when the element comes near the screen, and repeatedly while it stays near. */
export function useInView<Element extends HTMLElement>(active: boolean, onNear: () => void) {
  const element = useRef<Element>(null);
  useEffect(() => {
    if (!active || !element.current) return;
    // A busy page gets several changes at once; the last one is the current state.
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && onNear(), {
      // Two screens ahead, so that a page arrives before the user scrolls there.
      rootMargin: '0px 0px 200% 0px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [active, onNear]);
  return element;
}
