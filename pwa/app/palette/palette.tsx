// Go to a screen, find a record, do something: by typing. Opened over whatever is on screen.
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { keyName } from '#pwa/ui/frame/shortcuts.ts';
import { useModal } from '#pwa/ui/frame/use-modal.ts';
import { useStore } from '#pwa/ui/store.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { atBase } from '#pwa/ui/base-path.ts';
import { called, type PaletteItem, readTyped, recordsFor, subjectOf, type Typed } from './palette-item.ts';
import { PaletteList } from './palette-list.tsx';
import frame from './palette-opening.module.css';
import styles from './palette.module.css';
import { isEnterDue, typed as typedText, typedLimit } from './typed.ts';
import { useActions, useScreens } from './use-palette-actions.ts';
import { useModelItems } from './use-model-items.ts';
import { useRecent } from './use-recent.ts';
import { useRecordSearch } from './use-record-search.ts';
import { useSettingItems } from './use-setting-items.ts';

interface PaletteProps {
  onClose: () => void;
  onSignOut: () => void;
}

/** Milliseconds without a key before the server is queried. */
const pause = 200;

export function Palette({ onClose, onSignOut }: PaletteProps) {
  const { t } = useTranslation();
  // Typed in part before this code was there.
  const text = useStore(typedText);
  const [chosen, setChosen] = useState<string>();
  const listId = useId();
  const { items, found, remember } = useItems(text, chosen, onSignOut);
  const at = Math.max(
    0,
    items.findIndex(({ key }) => key === chosen),
  );
  const current = items[at];
  const run = useRun({ onClose, remember });
  useDueEnter(() => current !== undefined && run(current, false));

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    // Enter and arrows are the input method's while it composes.
    if (event.nativeEvent.isComposing || items.length === 0) return;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + 8, items.length - 1), PageUp: Math.max(at - 8, 0) }[
      event.key
    ];
    const [more] = current?.actions ?? [];
    if (next !== undefined) setChosen(items.at(next % items.length)?.key);
    else if (event.key === 'ArrowRight' && more !== undefined && isAtEnd(event.currentTarget)) setChosen(more.key);
    else if (event.key === 'Enter' && current !== undefined) run(current, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  }
  return (
    <Frame onClose={onClose}>
      <div className={frame.head}>
        <Icon name="search" />
        <input
          className={`${layout.fill} ${frame.input}`}
          value={text}
          onChange={(event) => {
            typedText.set(event.currentTarget.value);
            setChosen(undefined);
          }}
          onKeyDown={handleKey}
          role="combobox"
          aria-label={t('palette.label')}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${listId}-${at}`}
          placeholder={t('palette.placeholder')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          maxLength={typedLimit}
          ref={putCaretAtEnd}
          // The palette was opened to type into it.
          autoFocus
        />
        <span className={styles.count} role="status">
          {found.isAsking ? t('palette.searching') : text.trim() !== '' && t('palette.found', { count: items.length })}
        </span>
        <PlainIconButton label={t('common.action.close')} onClick={onClose}>
          <Icon name="close" />
        </PlainIconButton>
      </div>
      <PaletteList
        id={listId}
        items={items}
        at={at}
        typed={readTyped(text).text}
        onRun={run}
        note={<Note text={text} count={items.length} found={found} />}
      />
      <Hints />
    </Frame>
  );
}

/** Enter that was pressed while the code was loaded takes what is chosen at once. */
function useDueEnter(onEnter: () => void): void {
  const enter = useEffectEvent(onEnter);
  useEffect(() => {
    if (!isEnterDue.get()) return;
    isEnterDue.set(false);
    enter();
  }, []);
}

function putCaretAtEnd(input: HTMLInputElement | null): void {
  input?.setSelectionRange(input.value.length, input.value.length);
}

/** Where an arrow to the right moves nothing in the text. */
function isAtEnd({ selectionStart, value }: HTMLInputElement): boolean {
  return selectionStart === value.length;
}

/** The browser holds the focus inside and restores it; a press outside closes the dialog. */
function Frame({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const { t } = useTranslation();
  const dialog = useModal();
  return (
    <dialog
      className={frame.palette}
      ref={dialog}
      aria-label={t('palette.label')}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles.content}>{children}</div>
    </dialog>
  );
}

function useItems(text: string, chosen: string | undefined, onSignOut: () => void) {
  const screens = useScreens();
  const actions = useActions(onSignOut);
  const known = [...screens, ...actions];
  const { recent, remember } = useRecent(known);
  const typed = readTyped(text);
  const settings = useSettingItems(typed);
  const models = useModelItems(typed);
  const settled = useSettled(typed);
  const found = useRecordSearch(settled, useIsOnline());
  const isAnswered = found.isAnswered && settled.kind === typed.kind && settled.text === typed.text;
  const records = recordsFor(typed, found.items, isAnswered);
  const ofRecord = subjectOf(records, chosen)?.actions ?? [];
  const items =
    typed.kind === 'id'
      ? [...records, ...ofRecord]
      : [
          ...(text.trim() === '' ? recent : []),
          // By group: the order of the rows is the order of the arrows.
          ...(typed.kind === 'actions' ? [] : called(screens, typed.text)),
          ...called(actions, typed.text),
          ...settings,
          ...models,
          ...records,
          ...ofRecord,
        ];
  return { items, found, remember };
}

/** What was typed, once nothing has been typed for a moment. */
function useSettled(typed: Typed): Typed {
  const [settled, setSettled] = useState(typed);
  const { kind, text } = typed;
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ kind, text }), pause);
    return () => clearTimeout(timer);
  }, [kind, text]);
  return settled;
}

function useRun({ onClose, remember }: { onClose: () => void; remember: (item: PaletteItem) => void }) {
  const router = useRouter();
  return (item: PaletteItem, inNewTab: boolean): void => {
    if (item.group !== 'record') remember(item);
    if (item.href !== undefined && inNewTab) {
      window.open(atBase(item.href), '_blank', 'noopener');
      return;
    }
    // Closed first: what comes next may want the focus.
    onClose();
    if (item.href === undefined) item.act?.();
    else void router.navigate({ href: item.href });
  };
}

/** Why there is nothing, or less than there could be. */
function Note({ text, count, found }: { text: string; count: number; found: { isAsking: boolean; failure: string | undefined } }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  if (text.trim() === '') return null;
  if (!isOnline) return <p className={styles.note}>{t('palette.offline')}</p>;
  if (found.failure !== undefined) return <p className={styles.note}>{found.failure}</p>;
  if (count === 0 && !found.isAsking) return <p className={styles.note}>{t('palette.nothing')}</p>;
  return null;
}

function Hints() {
  const { t } = useTranslation();
  return (
    <div className={styles.hints} aria-hidden="true">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> {t('palette.hint.move')}
      </span>
      <span>
        <kbd>→</kbd> {t('palette.hint.more')}
      </span>
      <span>
        <kbd>{keyName('Mod')}</kbd> <kbd>Enter</kbd> {t('palette.hint.tab')}
      </span>
      <span className={styles.right}>
        <kbd>&gt;</kbd> {t('palette.hint.actions')}
      </span>
      <span>
        <kbd>#</kbd> {t('palette.hint.id')}
      </span>
    </div>
  );
}
