import { Button, TextInput } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Disclosure, DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { pageAddress } from '#pwa/ui/base-path.ts';
import type { LogSearch } from './log-address.ts';
import { changeTo, dropView, isSameView, storeView, longestViewName, readViews, type SavedView, viewOf } from './saved-views.ts';
import styles from './logs.module.css';

interface SavedViewsProps {
  search: LogSearch;
  onChange: (change: Partial<LogSearch>) => void;
}

/** Filters and range under a name, to return to and to share as a link. */
export function SavedViewsMenu({ search, onChange }: SavedViewsProps) {
  const { t } = useTranslation();
  const userId = useStoredUser()?.id ?? 0;
  const [views, setViews] = useState(() => readViews(userId));
  const sheet = useRef<HTMLDivElement>(null);

  function handleDrop(name: string): void {
    setViews(dropView(userId, name));
    sheet.current?.focus({ preventScroll: true });
  }
  return (
    <Disclosure
      button={(attributes) => (
        <Button variant="subtle" {...attributes}>
          {t('logs.views.title')}
        </Button>
      )}
    >
      {(close) => (
        <div className={`${layout.stackSm} ${styles.views}`} role="group" aria-label={t('logs.views.title')} tabIndex={-1} ref={sheet}>
          {views.length === 0 && <p className={styles.viewsNone}>{t('logs.views.none')}</p>}
          <ul className={styles.viewList}>
            {views.map((view) => (
              <ViewRow
                key={view.name}
                view={view}
                isChosen={isSameView(view.search, viewOf(search))}
                onApply={() => {
                  close();
                  onChange(changeTo(view.search));
                }}
                onDrop={() => handleDrop(view.name)}
              />
            ))}
          </ul>
          <SaveForm onSave={(name) => setViews(storeView(userId, { name, search: viewOf(search) }))} />
        </div>
      )}
    </Disclosure>
  );
}

interface ViewRowProps {
  view: SavedView;
  isChosen: boolean;
  onApply: () => void;
  onDrop: () => void;
}

function ViewRow({ view, isChosen, onApply, onDrop }: ViewRowProps) {
  const { t } = useTranslation();
  const { href } = useRouter().buildLocation({ to: '/log', search: view.search });
  return (
    <li className={styles.view}>
      <DisclosureItem isChosen={isChosen} onClick={onApply}>
        {view.name}
      </DisclosureItem>
      <CopyIcon text={`${pageAddress()}${href}`} label={t('logs.views.link', { name: view.name })} />
      <PlainIconButton label={t('logs.views.remove', { name: view.name })} onClick={onDrop}>
        <Icon name="close" />
      </PlainIconButton>
    </li>
  );
}

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name);
    setName('');
    field.current?.focus({ preventScroll: true });
  };
  return (
    <form className={styles.saveView} onSubmit={handleSubmit}>
      <TextInput
        ref={field}
        label={t('logs.views.name')}
        maxLength={longestViewName}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={name.trim() === ''}>
        {t('logs.views.save')}
      </Button>
    </form>
  );
}
