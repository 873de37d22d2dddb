/** Whether the form has works that were not issued yet: signing out would lose them. */
export function hasUnsentWorks(): boolean {
  const { works = [], phase } = JSON.parse(localStorage.getItem('draft') ?? '{}');
  return works.length > 0 && phase !== 'sent';
}

/**
 * Deletes everything of this issuer before another person uses the browser. The page reloads, because work in progress
 * would otherwise continue in the name of the next issuer.
 */
export function signOut(): void {
  const forget = () => {
    for (const key of ['token', 'draft', 'events']) localStorage.removeItem(key);
  };
  const end = () => {
    forget();
    // Again when the page unloads: an upload that ended meanwhile has stored the draft once more.
    addEventListener('pagehide', forget);
    location.reload();
  };
  const files = indexedDB.deleteDatabase('gallery');
  files.onsuccess = end;
  files.onerror = end;
  files.onblocked = end;
}
