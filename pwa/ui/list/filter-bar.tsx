import { Button, TextInput } from '@mantine/core';
import { createContext, type ReactNode, use, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BottomSheet } from '#pwa/ui/frame/bottom-sheet.tsx';
import { useIsPhone, useIsTablet } from '#pwa/ui/frame/breakpoint.ts';
import { type Shortcut, useShortcuts } from '#pwa/ui/frame/shortcuts.ts';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './filter-bar.module.css';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { isElsewhere } from './list-keys.ts';

interface FilterBarProps {
  /** How many filters are set. */
  count: number;
  onClear: () => void;
  search?: { label: string; value: string; onChange: (value: string) => void };
  /** A `Segments`, for the filter that is used most. */
  presets?: ReactNode;
  /** Icon buttons at the right: column picker, export. */
  tools?: ReactNode;
  /** `FilterSelect` and `FilterText`. */
  children?: ReactNode;
}

/**
 * Filters of a list: in a row at a desk, in a sheet behind one button that counts them on a tablet and a phone; the search
 * and the filter that is used most stay outside where there is room. F leads to them.
 */
export function FilterBar(props: FilterBarProps) {
  const isPhone = useIsPhone();
  const isTablet = useIsTablet();
  if (isPhone) return <PhoneFilters {...props} />;
  return isTablet && props.children !== undefined ? <TabletFilters {...props} /> : <DeskFilters {...props} />;
}

function DeskFilters({ count, onClear, search, presets, tools, children }: FilterBarProps) {
  const { t } = useTranslation();
  const bar = useRef<HTMLDivElement>(null);
  useFilterKey(() => bar.current?.querySelector<HTMLElement>('input, select, button')?.focus());
  return (
    <div className={`${layout.row} ${layout.wrap} ${styles.bar}`} ref={bar} role="search">
      {search !== undefined && <SearchField {...search} />}
      {presets}
      {children}
      {count > 0 && (
        <Button variant="subtle" onClick={onClear}>
          {t('common.filter.clear')}
        </Button>
      )}
      <span className={styles.tools}>{tools}</span>
    </div>
  );
}

function TabletFilters({ count, onClear, search, presets, tools, children }: FilterBarProps) {
  return (
    <div className={`${layout.row} ${layout.wrap} ${styles.bar}`} role="search">
      {search !== undefined && <SearchField {...search} />}
      {presets}
      <FilterSheet count={count} onClear={onClear}>
        {children}
      </FilterSheet>
      <span className={styles.tools}>{tools}</span>
    </div>
  );
}

function PhoneFilters({ count, onClear, search, presets, tools, children }: FilterBarProps) {
  return (
    <div className={styles.phone}>
      <FilterSheet count={count} onClear={onClear}>
        {search !== undefined && <SearchField {...search} />}
        {presets}
        {children}
      </FilterSheet>
      {tools}
    </div>
  );
}

/** The button and what opens behind it. */
function FilterSheet({ count, onClear, children }: Pick<FilterBarProps, 'count' | 'onClear' | 'children'>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  useFilterKey(() => setOpen(true));
  return (
    <>
      <Button className={styles.open} leftSection={<Icon name="filter" />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {count === 0 ? t('common.filter.open') : t('common.filter.open_count', { count })}
      </Button>
      <BottomSheet
        opened={isOpen}
        title={t('common.filter.title')}
        onClose={() => setOpen(false)}
        foot={
          <>
            <Button disabled={count === 0} onClick={onClear}>
              {t('common.filter.clear')}
            </Button>
            <Button variant="filled" onClick={() => setOpen(false)}>
              {t('common.filter.show')}
            </Button>
          </>
        }
      >
        <StackedContext value={true}>
          <div className={`${layout.stackLg} ${styles.stack}`}>{children}</div>
        </StackedContext>
      </BottomSheet>
    </>
  );
}

/** True inside the phone's sheet: labels stand above their fields there. */
const StackedContext = createContext(false);

function SearchField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const field = useDebounced(value, onChange);
  return (
    <TextInput
      className={styles.search}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" />}
      rightSection={
        field.value === '' ? null : (
          <button
            type="button"
            className={`${control.bare} ${styles.clear}`}
            aria-label={t('common.action.clear')}
            onClick={() => field.set('')}
          >
            <Icon name="close" />
          </button>
        )
      }
      {...field.attributes}
    />
  );
}

interface FilterSelectProps {
  label: string;
  /** '' : not set. */
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  /** There is no "any". */
  isRequired?: boolean;
}

/** One of a few; "any" stands first. The browser's own list: it is best on a phone. */
export function FilterSelect({ label, value, options, onChange, isRequired = false }: FilterSelectProps) {
  const { t } = useTranslation();
  return (
    <label className={styles.field} data-stacked={use(StackedContext) || undefined} data-set={value !== '' || undefined}>
      <span className={`${typography.muted} ${styles.label}`}>{label}</span>
      <span className={styles.select}>
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {!isRequired && <option value="">{t('common.filter.any')}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </label>
  );
}

interface FilterTextProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  inputMode?: 'text' | 'numeric';
}

export function FilterText({ label, value, onChange, inputMode = 'text' }: FilterTextProps) {
  const field = useDebounced(value, onChange);
  return (
    <label className={styles.field} data-stacked={use(StackedContext) || undefined} data-set={value !== '' || undefined}>
      <span className={`${typography.muted} ${styles.label}`}>{label}</span>
      <input className={`${layout.fill} ${styles.input}`} inputMode={inputMode} {...field.attributes} />
    </label>
  );
}

const typingPause = 300;

/** Reports a typed text after a pause, never during a composition. Enter reports it at once. */
function useDebounced(value: string, onChange: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const isComposing = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const reported = useRef(value);
  useEffect(() => {
    // Cleared or changed from outside.
    if (value !== reported.current) setTyped(value);
    reported.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function report(next: string): void {
    clearTimeout(timer.current);
    if (next.trim() === reported.current) return;
    reported.current = next.trim();
    onChange(next.trim());
  }
  function later(next: string): void {
    setTyped(next);
    clearTimeout(timer.current);
    if (!isComposing.current) timer.current = setTimeout(() => report(next), typingPause);
  }
  return {
    value: typed,
    set: (next: string) => {
      setTyped(next);
      report(next);
    },
    attributes: {
      value: typed,
      onChange: (event: { currentTarget: { value: string } }) => later(event.currentTarget.value),
      onKeyDown: (event: { key: string; currentTarget: { value: string } }) => {
        if (event.key === 'Enter' && !isComposing.current) report(event.currentTarget.value);
      },
      onCompositionStart: () => {
        isComposing.current = true;
      },
      onCompositionEnd: (event: { currentTarget: { value: string } }) => {
        isComposing.current = false;
        later(event.currentTarget.value);
      },
    },
  };
}

const filterKeys: readonly Shortcut[] = [{ keys: ['F'], text: 'common.keys.filter' }];

function useFilterKey(act: () => void): void {
  useShortcuts(filterKeys);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key !== 'f' || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  });
}
