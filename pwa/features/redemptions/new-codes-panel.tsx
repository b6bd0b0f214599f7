import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { focusFirstError, showOnField } from '#pwa/ui/form/field-errors.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { useCreateCodes } from './code-actions.ts';
import { CodeFields } from './code-fields.tsx';
import { createBody } from './code-form.ts';
import styles from './redemptions.module.css';
import { useNewCodesForm } from './use-code-form.ts';

const formId = 'new-codes';

interface Made {
  name: string;
  keys: readonly string[];
}

export function NewCodesPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [made, setMade] = useState<Made>();
  const create = useCreateCodes();
  const form = useNewCodesForm();
  if (made !== undefined) return <MadeCodes made={made} onClose={onClose} />;

  const submit = form.onSubmit(
    (values) => {
      const body = createBody(values, format.quota(values.quota === '' ? 0 : values.quota));
      create.mutate(body, {
        onSuccess: (keys) => setMade({ name: body.name ?? '', keys }),
        onError: (error) => showOnField(form, failureOf(error)),
      });
    },
    () => focusFirstError(formId),
  );
  return (
    <SidePanel
      title={t('redemptions.panel.new')}
      takesFocus
      onClose={onClose}
      onSave={() => submit()}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton variant="filled" type="submit" form={formId} loading={create.isPending} label={t('redemptions.action.create')} />
        </>
      }
    >
      <form id={formId} className={styles.form} noValidate onSubmit={submit}>
        <CodeFields form={form} isNew />
        <Refusal text={refusalText(create.error, form)} />
      </form>
      <UnsavedEdits when={form.isDirty()} />
    </SidePanel>
  );
}

/** The codes right after they were made, to be handed on. */
function MadeCodes({ made: { name, keys }, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <SidePanel
      title={t('redemptions.made.title', { count: keys.length })}
      takesFocus
      onClose={onClose}
      foot={
        <>
          <Button leftSection={<Icon name="download" />} onClick={() => saveText(`${name}.txt`, `${keys.join('\n')}\n`)}>
            {t('redemptions.made.download')}
          </Button>
          <CopyButton label={t('redemptions.made.copy_all')} text={keys.join('\n')} />
          <Button variant="filled" onClick={onClose}>
            {t('common.action.done')}
          </Button>
        </>
      }
    >
      <p className={styles.madeText}>
        <StatusMark status="on">{t('redemptions.made.text', { count: keys.length, name })}</StatusMark>
      </p>
      <ul className={styles.made}>
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}
