// Frame's part of the palette: the keys that open it. The palette itself is loaded on first use.
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
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './palette-door.module.css';
import { PaletteOpening } from './palette-opening.tsx';
import { isEnterDue, typed } from './typed.ts';

const palette = createStore(false);

async function loadPalette() {
  const [part] = await Promise.all([import('./palette.tsx'), loadTexts('palette')]);
  return part;
}

const Palette = lazyPart(loadPalette, (part) => part.Palette, <PaletteOpening onClose={() => show(false)} />);
const ShortcutHelp = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./shortcut-help.tsx'), loadTexts('palette')]);
    return part;
  },
  (part) => part.ShortcutHelp,
);

function show(isOpen: boolean): void {
  if (isOpen === palette.get()) return;
  typed.set('');
  isEnterDue.set(false);
  palette.set(isOpen);
}

/** Where there are keys: loads the palette once nothing else is to do. */
function usePaletteAhead(): void {
  useEffect(() => {
    if (!matchMedia('(hover: hover)').matches || typeof requestIdleCallback === 'undefined') return;
    // Without a network and without a cached copy this fails: the palette is loaded when it is opened.
    const waiting = requestIdleCallback(() => void loadPalette().catch(() => undefined));
    return () => cancelIdleCallback(waiting);
  }, []);
}

/** Ctrl-K or Cmd-K opens and closes the palette, `?` lists all shortcuts, Ctrl-Z takes back what a message offers to take back. */
export function PaletteHost() {
  const isOpen = useStore(palette);
  const isHelpShown = useIsShortcutHelpShown();
  const signOut = useSignOut();
  usePaletteAhead();
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey) return;
      const hasModifier = event.ctrlKey || event.metaKey;
      if (hasModifier && event.key.toLowerCase() === 'k' && !event.shiftKey) show(!palette.get());
      else if (event.key === '?' && !hasModifier && !isElsewhere(event.target)) showShortcutHelp(true);
      else if (!(hasModifier && event.key.toLowerCase() === 'z' && !event.shiftKey && !isElsewhere(event.target) && undoLast())) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', handleKey);
    return () => {
      document.removeEventListener('keydown', handleKey);
      show(false);
      dropUndos();
      showShortcutHelp(false);
    };
  }, []);
  return (
    <>
      {isOpen && <Palette onClose={() => show(false)} onSignOut={signOut.ask} />}
      {isHelpShown && <ShortcutHelp onClose={() => showShortcutHelp(false)} />}
      <SignOutDialog signOut={signOut} />
    </>
  );
}

/** Where a desk has room: a field that is a door. */
export function PaletteField() {
  const { t } = useTranslation();
  return (
    <button type="button" className={`${layout.row} ${styles.find}`} aria-haspopup="dialog" onClick={() => show(true)}>
      <Icon name="search" />
      <span className={`${typography.ellipsis} ${styles.words}`}>{t('shell.find')}</span>
      {/* The name is the words; keys are said by the list of shortcuts. */}
      <kbd aria-hidden="true">{`${keyName('Mod')} K`}</kbd>
    </button>
  );
}

export function PaletteButton() {
  const { t } = useTranslation();
  return (
    <PlainIconButton label={t('shell.find_short')} title={t('shell.find_short')} aria-haspopup="dialog" onClick={() => show(true)}>
      <Icon name="search" />
    </PlainIconButton>
  );
}
