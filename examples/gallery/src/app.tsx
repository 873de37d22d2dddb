import { lazy, Suspense, useEffect, useRef } from 'react';
import { GalleryPage } from './gallery/gallery-page.tsx';
import { useRoute } from './lib/router.tsx';
import { theme, useLanguage } from './lib/settings.ts';
import { Header } from './ui/header.tsx';
import { NothingHere } from './ui/nothing-here.tsx';
import { useWords } from './words/words.ts';

// Most visitors see the gallery first, so the other pages are loaded when they are opened.
const RecordPage = lazy(async () => ({ default: (await import('./record/record-page.tsx')).RecordPage }));
const IssuePage = lazy(async () => ({ default: (await import('./issue/issue-page.tsx')).IssuePage }));
const WorkPage = lazy(async () => ({ default: (await import('./work/work-page.tsx')).WorkPage }));

export function App() {
  const { path } = useRoute();
  const language = useLanguage();
  const words = useWords();
  const chosen = theme.use();
  const main = useRef<HTMLElement>(null);
  const page = path[0] ?? '';
  const place = path.join('/');
  const before = useRef(place);

  useEffect(() => {
    // Resume an issuance from before a reload, whichever page is open. Without one, do not load that code.
    if (/"phase":"(uploading|sending)"/.test(localStorage.getItem('draft') ?? ''))
      void import('./issue/resume.ts');
  }, []);

  useEffect(() => {
    document.documentElement.lang = language;
    if (chosen) document.documentElement.dataset.theme = chosen;
    else delete document.documentElement.dataset.theme;
  }, [language, chosen]);

  useEffect(() => {
    const name = page === 'issue' ? words.issue : page === 'work' ? words.myWork : words.gallery;
    if (page !== 'record') document.title = name;
    // A screen reader continues at the new page, not at the link that is gone.
    if (before.current !== place) main.current?.focus({ preventScroll: true });
    before.current = place;
  }, [page, place, words]);

  return (
    <>
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <Header page={page} />
      <main id="main" ref={main} tabIndex={-1}>
        <Suspense fallback={<p className="quiet wait">{words.loading}</p>}>
          {page === 'record' ? (
            <RecordPage contract={path[1] ?? 'registry'} tokenId={path[2] ?? ''} />
          ) : page === 'issue' ? (
            <IssuePage />
          ) : page === 'work' ? (
            <WorkPage />
          ) : page === '' ? (
            <GalleryPage />
          ) : (
            <NothingHere title={words.noPage} />
          )}
        </Suspense>
      </main>
    </>
  );
}
