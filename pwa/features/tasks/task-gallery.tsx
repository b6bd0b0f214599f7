import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { useAfter } from '#pwa/ui/frame/query-state.tsx';
import type { RowsProps } from '#pwa/ui/list/data-table.tsx';
import { useRowsInSteps } from '#pwa/ui/list/rows-in-steps.ts';
import { memoRow } from '#pwa/ui/list/table-row.tsx';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { Picture } from './picture.tsx';
import { TaskMark } from './task-labels.tsx';
import { isUnfinished, type TaskRow } from './task-row.ts';
import styles from './tasks.module.css';

const skeletonTiles = 12;
const none: never[] = [];

/** The same rows as pictures. A press opens the record. */
export function TaskGallery({ label, rows, rowKey, open, onOpen, onCursor }: RowsProps<TaskRow, number>) {
  const drawn = useRowsInSteps(rows ?? none, rowKey);
  const handleOpen = useStableHandler((id: number) => onOpen?.(String(id)));
  const handleFocus = useStableHandler((id: number) => onCursor(String(id)));
  if (rows === undefined) return <SkeletonTiles />;
  return (
    <div className={styles.scroll} data-scroll-restoration-id={`gallery ${label}`}>
      <ul className={styles.gallery} aria-label={label}>
        {rows.slice(0, drawn).map((row) => (
          <Tile key={row.id} row={row} isOpen={open === String(row.id)} onOpen={handleOpen} onFocus={handleFocus} />
        ))}
      </ul>
    </div>
  );
}

interface TileProps {
  row: TaskRow;
  isOpen: boolean;
  onOpen: (id: number) => void;
  onFocus: (id: number) => void;
}

const Tile = memoRow(({ row, isOpen, onOpen, onFocus }: TileProps) => {
  const { t } = useTranslation();
  const format = useFormat();
  const runs = isUnfinished(row);
  return (
    <li>
      <button
        type="button"
        className={`${typography.note} ${control.bare} ${styles.tile}`}
        data-row-key={row.id}
        data-open={isOpen || undefined}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(row.id)}
        onFocus={() => onFocus(row.id)}
      >
        <Picture src={row.picture} kind={row.kind} alt="" />
        {/* The number below says the same. It retains its space: names are aligned. */}
        <span className={styles.tileTrack} data-off={!runs || row.percent === undefined || undefined} aria-hidden="true">
          <i style={{ inlineSize: `${row.percent ?? 0}%` }} />
        </span>
        <span className={`${typography.compact} ${typography.ellipsis} ${styles.tileName}`}>
          {row.title || row.prompt || t('tasks.no_prompt')}
        </span>
        <span className={styles.tileLine}>
          <TaskMark row={row} />
          {runs && row.percent !== undefined ? (
            <span>{row.percent}%</span>
          ) : (
            <span>{row.submitted > 0 && format.clock(Math.floor(row.submitted / 1000))}</span>
          )}
        </span>
        <span className={styles.tileLine}>
          <span>{row.submitted > 0 && format.date(Math.floor(row.submitted / 1000))}</span>
          {row.username !== '' && <span className={`${typography.ellipsis} ${styles.tileUser}`}>{row.username}</span>}
        </span>
      </button>
    </li>
  );
});

function SkeletonTiles() {
  const isShown = useAfter(200);
  return (
    <ul className={styles.gallery} data-waiting={!isShown || undefined} aria-hidden="true">
      {Array.from({ length: skeletonTiles }, (_tile, index) => (
        <li key={index} className={`${typography.note} ${control.bare} ${styles.tile}`}>
          <span className={`${typography.note} ${layout.stackXs} ${styles.box}`} />
          <i className={styles.line} />
          <i className={styles.line} data-short />
        </li>
      ))}
    </ul>
  );
}
