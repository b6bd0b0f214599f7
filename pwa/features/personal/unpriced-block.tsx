import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import styles from './personal.module.css';
import { useOwnSettings } from './use-own-settings.ts';

const key = 'accept_unset_model_ratio_model';

/** Whether calls of models without a price go through. */
export function UnpricedBlock({ user }: { user: User }) {
  const { t } = useTranslation();
  const own = useOwnSettings(user, { onDone: () => undefined, onRefused: () => false });
  const [edit] = own.waiting([key]);
  const aside = edit !== undefined && (
    <StatusMark status={edit.state === 'conflict' ? 'conflict' : 'waiting'}>{t('personal.unpriced.waiting')}</StatusMark>
  );
  return (
    <Block title={t('personal.unpriced.title')} aside={aside}>
      <div className={styles.switch}>
        <SwitchRow
          label={t('personal.unpriced.label')}
          description={t('personal.unpriced.hint')}
          checked={own.shown(key) === 'true'}
          disabled={own.isSaving}
          onChange={(event) => own.save({ [key]: String(event.currentTarget.checked) })}
        />
      </div>
    </Block>
  );
}
