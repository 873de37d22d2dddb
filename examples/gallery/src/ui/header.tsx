import { Link } from '../lib/router.tsx';
import { type Language, language, languages, theme, useLanguage } from '../lib/settings.ts';
import { useWords } from '../words/words.ts';
import './header.css';

const darkBySystem = matchMedia('(prefers-color-scheme: dark)');

export function Header({ page }: { page: string }) {
  const words = useWords();
  const chosen = useLanguage();
  const dark = (theme.use() || (darkBySystem.matches ? 'dark' : 'light')) === 'dark';
  const pages = { '': words.gallery, issue: words.issue, work: words.myWork };
  return (
    <header className="header">
      <nav aria-label={words.pages}>
        {Object.entries(pages).map(([name, label]) => (
          <Link key={name} to={`/${name}`} aria-current={page === name ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <div className="switches">
        <select
          aria-label={words.language}
          value={chosen}
          onChange={(event) => language.set(event.target.value)}
        >
          {(Object.keys(languages) as Language[]).map((tag) => (
            <option key={tag} value={tag} lang={tag}>
              {languages[tag]}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="icon"
          aria-label={words.darkTheme}
          aria-pressed={dark}
          onClick={() => theme.set(dark ? 'light' : 'dark')}
        >
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
            <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" strokeWidth="1.6" />
            <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
          </svg>
        </button>
      </div>
    </header>
  );
}
