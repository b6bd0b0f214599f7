import { Button } from '@mantine/core';
import type { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { focusFirstError, showOnField } from '#pwa/ui/form/field-errors.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import styles from './new-records-panel.module.css';

interface NewRecordsPanelProps<Values extends object, Body, Made> {
  /** Of the form in the page. */
  formId: string;
  title: string;
  /** Of the button that creates. */
  label: string;
  form: Pick<ReturnType<typeof useForm<Values>>, 'onSubmit' | 'isDirty' | 'errors' | 'getValues' | 'setFieldError'>;
  create: UseMutationResult<Made, Error, Body>;
  bodyOf: (values: Values) => Body;
  onMade: (made: Made, body: Body) => void;
  onClose: () => void;
  /** The fields of the form. */
  children: ReactNode;
}

/** The form that makes one or several records of a list. */
export function NewRecordsPanel<Values extends object, Body, Made>({
  formId,
  title,
  label,
  form,
  create,
  bodyOf,
  onMade,
  onClose,
  children,
}: NewRecordsPanelProps<Values, Body, Made>) {
  const { t } = useTranslation();
  const [isMade, setMade] = useState(false);
  const submit = form.onSubmit(
    (values) =>
      create.mutate(bodyOf(values), {
        onSuccess: (made, body) => {
          // The guard has to know before the panel closes.
          flushSync(() => setMade(true));
          onMade(made, body);
        },
        onError: (error) => showOnField(form, failureOf(error)),
      }),
    () => focusFirstError(formId),
  );
  return (
    <SidePanel
      title={title}
      takesFocus
      onClose={onClose}
      onSave={() => submit()}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton variant="filled" type="submit" form={formId} loading={create.isPending} label={label} />
        </>
      }
    >
      <form id={formId} className={styles.form} noValidate onSubmit={submit}>
        {children}
        <Refusal text={refusalText(create.error, form)} />
      </form>
      <UnsavedEdits when={form.isDirty() && !isMade} />
    </SidePanel>
  );
}

interface MadeRecordsProps {
  title: string;
  text: string;
  /** What can be done with all of them. */
  actions: ReactNode;
  onClose: () => void;
  /** List items, one for each. */
  children: ReactNode;
}

/** What was made, right after it, to be copied or handed on. */
export function MadeRecords({ title, text, actions, onClose, children }: MadeRecordsProps) {
  const { t } = useTranslation();
  return (
    <SidePanel
      title={title}
      takesFocus
      onClose={onClose}
      foot={
        <>
          {actions}
          <Button variant="filled" onClick={onClose}>
            {t('common.action.done')}
          </Button>
        </>
      }
    >
      <p className={styles.text}>
        <StatusMark status="on">{text}</StatusMark>
      </p>
      <ul className={styles.made}>{children}</ul>
    </SidePanel>
  );
}
