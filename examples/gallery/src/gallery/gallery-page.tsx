import { Link } from '../lib/router.tsx';
import { Notice } from '../ui/notice.tsx';
import { useWords } from '../words/words.ts';
import { Filters } from './filters.tsx';
import { RecordCard } from './record-card.tsx';
import { useFilter } from './use-filter.ts';
import { useInView } from './use-in-view.ts';
import { useRecords } from './use-records.ts';
import './gallery.css';

export function GalleryPage() {
  const words = useWords();
  const { where, orderBy, any } = useFilter();
  const { records, hasMore, loading, error, more, again } = useRecords(where, orderBy);
  const end = useInView<HTMLDivElement>(hasMore && !loading && !error, more);
  return (
    <>
      <h1 className="hidden">{words.gallery}</h1>
      <Filters />
      <ul className="grid" aria-busy={loading}>
        {records.map((record, index) => (
          <RecordCard key={record.id} record={record} eager={index < 8} />
        ))}
        {loading && records.length === 0 && waiting}
      </ul>
      {error && <Notice error={error} retry={again} />}
      <div ref={end} className="grid-end" role="status">
        {loading && records.length === 0 && words.loading}
        {!loading && !error && !hasMore && <p>{words.allShown(records.length)}</p>}
        {!loading && records.length === 0 && any && <Link to="/">{words.clearFilters}</Link>}
        {hasMore && !error && (
          <button type="button" disabled={loading} onClick={more}>
            {loading ? words.loading : words.showMore}
          </button>
        )}
      </div>
    </>
  );
}

/** Placeholders for the first cards, so that the layout does not shift when they load. */
const waiting = [...'abcdefghijkl'].map((key) => (
  <li key={key} className="card card-waiting" aria-hidden="true">
    <div className="picture" />
  </li>
));
