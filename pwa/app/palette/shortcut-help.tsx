import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { keyName, type Shortcut, useRegisteredShortcuts } from '#pwa/ui/frame/shortcuts.ts';
import styles from './shortcut-help.module.css';

const everywhere: readonly Shortcut[] = [
  { keys: ['Mod', 'K'], text: 'palette.key.open' },
  { keys: ['Mod', 'Z'], text: 'palette.key.undo' },
  { keys: ['?'], text: 'common.keys.help' },
];

/** Lists all shortcuts: those that the screen's parts register, and the global ones. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const here = useRegisteredShortcuts();
  return (
    <Dialog title={t('common.keys.title')} onClose={onClose}>
      {here.length > 0 && <Keys title={t('palette.key.here')} shortcuts={here} />}
      <Keys title={t('palette.key.everywhere')} shortcuts={everywhere} />
      <Button fullWidth onClick={onClose} autoFocus>
        {t('common.action.close')}
      </Button>
    </Dialog>
  );
}

function Keys({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h3 className={styles.title}>{title}</h3>
      <dl className={styles.keys}>
        {shortcuts.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
