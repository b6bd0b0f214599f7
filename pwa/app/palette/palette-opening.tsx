// Field of the palette while its code is loaded. Takes what is typed from the first key on; otherwise the keys would be shortcuts of
// the list below.
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { useModal } from '#pwa/ui/frame/use-modal.ts';
import { useStore } from '#pwa/ui/store.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './palette-opening.module.css';
import { isEnterDue, typed, typedLimit } from './typed.ts';

export function PaletteOpening({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const dialog = useModal();
  const label = t('shell.find_short');
  return (
    <dialog
      className={styles.palette}
      ref={dialog}
      aria-label={label}
      aria-busy
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles.head}>
        <Icon name="search" />
        <input
          className={`${layout.fill} ${styles.input}`}
          aria-label={label}
          value={useStore(typed)}
          onChange={(event) => {
            typed.set(event.currentTarget.value);
            isEnterDue.set(false);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) isEnterDue.set(true);
          }}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={typedLimit}
          autoFocus
        />
      </div>
    </dialog>
  );
}
