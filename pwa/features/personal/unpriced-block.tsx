import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import styles from './personal.module.css';
import { SaveButton } from './save-button.tsx';
import { useOwnSettings } from './use-own-settings.ts';

const key = 'accept_unset_model_ratio_model';

/** Whether calls of models without a price go through. */
export function UnpricedBlock({ user }: { user: User }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<boolean>();
  const own = useOwnSettings(user, { onDone: () => setTyped(undefined), onRefused: () => false });
  const stored = own.shown(key) === 'true';
  const chosen = typed ?? stored;
  const [edit] = own.waiting([key]);
  const aside = edit !== undefined && (
    <StatusMark status={edit.state === 'conflict' ? 'conflict' : 'waiting'}>{t('personal.unpriced.waiting')}</StatusMark>
  );
  return (
    <Block title={t('personal.unpriced.title')} aside={aside}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          own.save(chosen === stored ? {} : { [key]: String(chosen) });
        }}
      >
        <SwitchRow
          label={t('personal.unpriced.label')}
          description={t('personal.unpriced.hint')}
          checked={chosen}
          disabled={own.isSaving}
          onChange={(event) => setTyped(event.currentTarget.checked)}
        />
        <SaveButton of="unpriced" isDirty={chosen !== stored} isSaving={own.isSaving} />
      </form>
    </Block>
  );
}
