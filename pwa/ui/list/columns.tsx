import { ActionIcon } from '@mantine/core';
import { type ReactNode, useId, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { type ColumnRoom, createColumnRoom } from './column-room.ts';
import styles from './columns.module.css';
import { Disclosure } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';

/** One column of a list, and what becomes of it on a phone's card. */
export interface Column<Row> {
  key: string;
  heading: string;
  cell: (row: Row) => ReactNode;
  /** Pixels at a desk; absent: takes what is left. */
  width?: number;
  /** The least that a column without a width gets. */
  least?: number;
  /** What it gets, with a width or without, as long as there is room: the difference leaves in its turn, like a column. */
  comfort?: { width: number; leave: number };
  align?: 'end';
  /** When the list gets narrow, columns leave, the highest number first; absent: never. */
  leave?: number;
  /** Place on the card; several `context` columns are joined by `·`; the picture stands before both lines. Absent: not on the card. */
  card?: 'picture' | 'title' | 'amount' | 'context' | 'note';
  /** Name that `onSort` receives. */
  sort?: string;
  /** Always shown; not in the picker. */
  isLocked?: boolean;
  /** Hidden until the user chooses it. */
  isOff?: boolean;
}

export interface ChosenColumns<Row> {
  all: readonly Column<Row>[];
  shown: readonly Column<Row>[];
  /** Which of the chosen columns do not fit; the list reports them. */
  room: ColumnRoom;
  toggle: (key: string) => void;
  reset: () => void;
}

/** Columns that the user chose, stored on this device under a key as `{column: shown}`. */
export function useColumns<Row>(all: readonly Column<Row>[], storageKey: string): ChosenColumns<Row> {
  const [choice, setChoice] = useState(() => storedChoice(storageKey));
  const [room] = useState(createColumnRoom);
  const isShown = (column: Column<Row>): boolean => column.isLocked === true || (choice.get(column.key) ?? column.isOff !== true);

  function store(next: Map<string, boolean>): void {
    if (next.size === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(next)));
    setChoice(next);
  }
  return {
    all,
    shown: all.filter(isShown),
    room,
    toggle: (key) => {
      const column = all.find((one) => one.key === key);
      if (column !== undefined) store(new Map(choice).set(key, !isShown(column)));
    },
    reset: () => store(new Map()),
  };
}

/** The button that chooses columns, for a `FilterBar`'s tools. Cards on a phone have their own order: nothing there. */
export function ColumnPicker<Row>({ chosen }: { chosen: ChosenColumns<Row> }) {
  const { t } = useTranslation();
  if (useIsPhone()) return null;
  return (
    <Disclosure
      button={(attributes) => (
        <ActionIcon {...attributes} aria-label={t('common.list.columns')} title={t('common.list.columns')}>
          <Icon name="columns" />
        </ActionIcon>
      )}
    >
      {() => (
        <fieldset className={styles.picker}>
          <legend className="visually-hidden">{t('common.list.columns')}</legend>
          <Choices chosen={chosen} />
          <button type="button" className={`${control.bare} ${styles.reset}`} onClick={chosen.reset}>
            {t('common.list.columns_reset')}
          </button>
        </fieldset>
      )}
    </Disclosure>
  );
}

/** A column that was chosen and has no room is not ticked, and says why: what is ticked can be seen. */
function Choices<Row>({ chosen }: { chosen: ChosenColumns<Row> }) {
  const { t } = useTranslation();
  const id = useId();
  const without = useSyncExternalStore(chosen.room.subscribe, chosen.room.current);
  return chosen.all
    .filter((column) => column.isLocked !== true)
    .map((column) => {
      const isChosen = chosen.shown.includes(column);
      const hasNoRoom = isChosen && without.has(column.key);
      return (
        <label key={column.key} className={styles.choice} data-off={hasNoRoom || undefined}>
          <input
            type="checkbox"
            checked={isChosen && !hasNoRoom}
            aria-disabled={hasNoRoom || undefined}
            aria-describedby={hasNoRoom ? `${id}-${column.key}` : undefined}
            onChange={() => {
              if (!hasNoRoom) chosen.toggle(column.key);
            }}
          />
          <span>
            {column.heading}
            {hasNoRoom && (
              <small className={`${typography.small} ${styles.why}`} id={`${id}-${column.key}`}>
                {t('common.list.columns_no_room')}
              </small>
            )}
          </span>
        </label>
      );
    });
}

function storedChoice(storageKey: string): Map<string, boolean> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return new Map();
    return new Map(Object.entries(stored).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
  } catch {
    return new Map();
  }
}
