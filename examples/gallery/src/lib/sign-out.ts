/** Whether works in the form were not issued yet: signing out would lose them. */
export function hasUnsentWorks(): boolean {
  const { works = [], phase } = JSON.parse(localStorage.getItem('draft') ?? '{}');
  return works.length > 0 && phase !== 'sent';
}

/**
 * Leaves nothing of this issuer to the next person at this browser. The page starts anew, which ends what is under
 * way: it would go on in the name of the next issuer.
 */
export function signOut(): void {
  const forget = () => {
    for (const key of ['token', 'draft', 'events']) localStorage.removeItem(key);
  };
  const end = () => {
    forget();
    // An upload that ends before the page is gone stores the draft again.
    addEventListener('pagehide', forget);
    location.reload();
  };
  const files = indexedDB.deleteDatabase('gallery');
  files.onsuccess = end;
  files.onerror = end;
  files.onblocked = end;
}
