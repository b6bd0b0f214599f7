import { TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { pageGroups, pages } from './pages.ts';
import styles from './settings-nav.module.css';

/** What of a page is to be seen from outside. */
export interface PageMarks {
  /** Settings that are not what they are by default. */
  changed: number;
  /** Unsaved edits, and edits that wait to be sent. */
  unsaved: number;
  queued: number;
}

interface SettingsNavProps {
  current: string | undefined;
  marksOf: (page: string) => PageMarks;
  onChoose?: () => void;
}

/** The pages of the settings, in their groups. */
export function SettingsNav({ current, marksOf, onChoose }: SettingsNavProps) {
  const { t } = useTranslation();
  return (
    <nav className={styles.nav} aria-label={t('settings.title')}>
      {pageGroups.map((group) => (
        <section key={group} aria-labelledby={`settings-${group}`}>
          <h2 id={`settings-${group}`}>{t(`settings.group.${group}`)}</h2>
          {pages
            .filter((page) => page.group === group)
            .map(({ name }) => (
              <Link
                key={name}
                to="/setting"
                search={{ tab: name }}
                className={`${layout.row} ${styles.item}`}
                aria-current={name === current ? 'page' : undefined}
                onClick={onChoose}
              >
                <span className={`${typography.ellipsis} ${layout.fill}`}>{t(`settings.page.${name}`)}</span>
                <Marks {...marksOf(name)} />
              </Link>
            ))}
        </section>
      ))}
    </nav>
  );
}

function Marks({ changed, unsaved, queued }: PageMarks) {
  const { t } = useTranslation();
  return (
    <>
      {queued > 0 && (
        <span className={styles.queued} aria-label={t('settings.marks.queued', { count: queued })} role="img">
          <Glyph name="waiting" /> {queued}
        </span>
      )}
      {unsaved > 0 && <span className={styles.unsaved} aria-label={t('settings.marks.unsaved', { count: unsaved })} role="img" />}
      {changed > 0 && (
        <span className={`${typography.muted} ${styles.changed}`} aria-label={t('settings.marks.changed', { count: changed })} role="img">
          ≠ {changed}
        </span>
      )}
    </>
  );
}

interface SettingsSearchProps {
  value: string;
  onChange: (value: string) => void;
  input: RefObject<HTMLInputElement | null>;
}

export function SettingsSearch({ value, onChange, input }: SettingsSearchProps) {
  const { t } = useTranslation();
  return (
    <TextInput
      ref={input}
      type="search"
      className={styles.search}
      aria-label={t('settings.search.label')}
      placeholder={t('settings.search.label')}
      leftSection={<Icon name="search" />}
      rightSection={value === '' ? <kbd aria-hidden="true">/</kbd> : undefined}
      value={value}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || value === '') return;
        event.preventDefault();
        onChange('');
      }}
    />
  );
}
