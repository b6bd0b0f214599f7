import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isSecret } from '#shared/settings.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { ConflictChoice } from './conflict-choice.tsx';
import type { SettingFieldProps } from './setting-field.tsx';
import styles from './settings.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

interface FieldConflictProps extends SettingFieldProps {
  draft: NonNullable<SettingFieldProps['draft']>;
  theirs: OptionState;
}

/** Another editor saved another value while this one was typed: the user chooses one. */
export function FieldConflict({ entry, draft, theirs, onResolve, onDrop }: FieldConflictProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  return (
    <section className={`${layout.stackMd} ${styles.conflict}`} role="alert">
      <StatusMark status="conflict" strong>
        {t('setting_parts.conflict.at_field')}
      </StatusMark>
      {isSecret(entry.key) ? (
        // Neither side can be shown.
        <>
          <p>{words.changeNote(theirs)}</p>
          <Button onClick={() => onResolve(draft.text, theirs)}>{t('settings.secret.use_mine')}</Button>
          <Button onClick={onDrop}>{t('settings.secret.keep_theirs')}</Button>
        </>
      ) : (
        <ConflictChoice
          // A newer value of the other editor opens a new conflict.
          key={theirs.revision}
          settingKey={entry.key}
          base={draft.base}
          mine={draft.text}
          theirs={theirs}
          mineNote={t('setting_parts.conflict.mine_now')}
          verb="use"
          onChoose={(value) => onResolve(value, theirs)}
          onDrop={onDrop}
        />
      )}
    </section>
  );
}
