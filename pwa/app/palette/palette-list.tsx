import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { marked, paletteGroups, type PaletteItem } from './palette-item.ts';
import styles from './palette.module.css';

interface PaletteListProps {
  id: string;
  items: readonly PaletteItem[];
  /** Which one Enter takes. */
  at: number;
  typed: string;
  onRun: (item: PaletteItem, inNewTab: boolean) => void;
  note: ReactNode;
}

export function PaletteList({ id, items, at, typed, onRun, note }: PaletteListProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, items.length]);
  const groups = paletteGroups
    .map((group) => ({ group, members: items.map((item, index) => ({ item, index })).filter(({ item }) => item.group === group) }))
    .filter(({ members }) => members.length > 0);
  return (
    <div className={styles.scroll}>
      <div ref={list} role="listbox" id={id} aria-label={t('palette.results')}>
        {groups.map(({ group, members }) => (
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <h3 className={`${typography.note} ${styles.group}`} id={`${id}-${group}`} role="presentation">
              {t(`palette.group.${group}`)}
            </h3>
            {members.map(({ item, index }) => (
              <Row key={item.key} id={`${id}-${index}`} item={item} typed={typed} isChosen={index === at} onRun={onRun} />
            ))}
          </div>
        ))}
      </div>
      {note}
    </div>
  );
}

interface RowProps extends Pick<PaletteListProps, 'typed' | 'onRun'> {
  id: string;
  item: PaletteItem;
  isChosen: boolean;
}

function Row({ id, item, typed, isChosen, onRun }: RowProps) {
  return (
    <div
      className={styles.row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={(event) => onRun(item, event.ctrlKey || event.metaKey)}
    >
      <Icon name={item.icon} />
      <span className={`${typography.ellipsis} ${styles.name}`}>
        <Marked text={item.name} typed={typed} />
      </span>
      {item.detail !== undefined && (
        <span className={`${typography.ellipsis} ${styles.detail}`}>
          <Marked text={item.detail} typed={typed} />
        </span>
      )}
      <span className={styles.end}>
        {item.state !== undefined && <StatusMark status={item.state.status}>{item.state.word}</StatusMark>}
        {item.amount}
      </span>
      {isChosen && (
        <kbd className={styles.enter} aria-hidden="true">
          Enter
        </kbd>
      )}
    </div>
  );
}

function Marked({ text, typed }: { text: string; typed: string }) {
  let at = 0;
  return marked(text, typed).map(({ piece, isMarked }) => {
    const start = at;
    at += piece.length;
    return isMarked ? <mark key={start}>{piece}</mark> : <span key={start}>{piece}</span>;
  });
}
