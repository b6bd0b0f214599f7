import { Radio } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ImportDetails, type ImportReport, importConflictChoices, type ImportOptions } from '#shared/imports.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './imports.module.css';
import { usePlanImport } from './queries.ts';

const choices = importConflictChoices.filter((choice) => choice !== 'refuse');

/** Names, keys and codes that belong to something else here: what becomes of such rows. */
export function ConflictChoice({ run, plan }: { run: ImportDetails; plan: ImportReport }) {
  const { t } = useTranslation();
  const again = usePlanImport();
  const [choice, setChoice] = useState<ImportOptions['conflicts']>('leave');
  const rows = plan.notes.filter(({ effect }) => effect === 'conflict').reduce((sum, note) => sum + note.rows, 0);
  if (rows === 0) return null;
  return (
    <div className={`${layout.stackMd} ${styles.choice}`}>
      <StatusMark status="conflict" strong>
        {t('imports.conflict.title', { rows })}
      </StatusMark>
      <Radio.Group
        label={t('imports.conflict.question')}
        value={choice}
        onChange={(value) => setChoice(choices.find((one) => one === value) ?? 'leave')}
      >
        <div className={layout.stackSm}>
          {choices.map((one) => (
            <Radio
              key={one}
              value={one}
              label={
                <span className={styles.option}>
                  {t(`imports.conflict.${one}`)}
                  <span className={typography.note}>{t(`imports.conflict.${one}_hint`)}</span>
                </span>
              }
            />
          ))}
        </div>
      </Radio.Group>
      <Refusal text={again.error === null ? undefined : failureOf(again.error).message} />
      <span className={layout.wrap}>
        <OnlineButton
          variant="filled"
          loading={again.isPending}
          label={t('imports.action.plan_again')}
          onClick={() => again.mutate({ id: run.id, options: { ...run.options, conflicts: choice } })}
        />
      </span>
    </div>
  );
}
