// What the frame holds of the palette: the keys that open it. The palette itself is loaded when it is first asked for.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { SignOutDialog, useSignOut } from '#pwa/app/shell/sign-out.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { keyName, showShortcutHelp, useIsShortcutHelpShown } from '#pwa/ui/frame/shortcuts.ts';
import { dropUndos, undoLast } from '#pwa/ui/frame/toast.ts';
import { isElsewhere } from '#pwa/ui/list/list-keys.ts';
import { createStore, useStore } from '#pwa/ui/store.ts';
import styles from './palette-door.module.css';

const palette = createStore(false);

const Palette = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./palette.tsx'), loadTexts('palette')]);
    return part;
  },
  (part) => part.Palette,
);
const ShortcutHelp = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./shortcut-help.tsx'), loadTexts('palette')]);
    return part;
  },
  (part) => part.ShortcutHelp,
);

/** Ctrl-K or Cmd-K opens and closes the palette, `?` lists all shortcuts, Ctrl-Z takes back what a message offers to take back. */
export function PaletteHost() {
  const isOpen = useStore(palette);
  const isHelpShown = useIsShortcutHelpShown();
  const signOut = useSignOut();
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey) return;
      const hasModifier = event.ctrlKey || event.metaKey;
      if (hasModifier && event.key.toLowerCase() === 'k' && !event.shiftKey) palette.set(!palette.get());
      else if (event.key === '?' && !hasModifier && !isElsewhere(event.target)) showShortcutHelp(true);
      else if (!(hasModifier && event.key.toLowerCase() === 'z' && !event.shiftKey && !isElsewhere(event.target) && undoLast())) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', handleKey);
    return () => {
      document.removeEventListener('keydown', handleKey);
      palette.set(false);
      dropUndos();
      showShortcutHelp(false);
    };
  }, []);
  return (
    <>
      {isOpen && <Palette onClose={() => palette.set(false)} onSignOut={signOut.ask} />}
      {isHelpShown && <ShortcutHelp onClose={() => showShortcutHelp(false)} />}
      <SignOutDialog signOut={signOut} />
    </>
  );
}

/** Where a desk has room: a field that is a door. */
export function PaletteField() {
  const { t } = useTranslation();
  return (
    <button type="button" className={styles.find} aria-haspopup="dialog" onClick={() => palette.set(true)}>
      <Icon name="search" />
      <span className={styles.words}>{t('shell.find')}</span>
      {/* The name is the words; keys are said by the list of shortcuts. */}
      <kbd aria-hidden="true">{`${keyName('Mod')} K`}</kbd>
    </button>
  );
}

export function PaletteButton() {
  const { t } = useTranslation();
  return (
    <PlainIconButton label={t('shell.find_short')} title={t('shell.find_short')} aria-haspopup="dialog" onClick={() => palette.set(true)}>
      <Icon name="search" />
    </PlainIconButton>
  );
}
