import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { CopyButton, CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { focusFirstError, showOnField } from '#pwa/ui/form/field-errors.ts';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { useCreateTokens } from './token-actions.ts';
import { TokenFields } from './token-fields.tsx';
import { createBody } from './token-form.ts';
import { useNewTokenForm } from './use-token-form.ts';
import styles from './tokens.module.css';

const formId = 'new-token';

export function NewTokenPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<readonly Token[]>([]);
  const create = useCreateTokens();
  const form = useNewTokenForm();
  if (made.length > 0) return <MadeTokens tokens={made} onClose={onClose} />;

  const submit = form.onSubmit(
    (values) =>
      create.mutate(createBody(values), {
        onSuccess: (tokens) => setMade(tokens),
        onError: (error) => showOnField(form, failureOf(error)),
      }),
    () => focusFirstError(formId),
  );
  const label = t('tokens.action.create');
  return (
    <SidePanel
      title={t('tokens.panel.new')}
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
        <TokenFields form={form} asksCount />
        <Refusal text={refusalText(create.error, form)} />
      </form>
      <UnsavedEdits when={form.isDirty()} />
    </SidePanel>
  );
}

/** The keys right after they were made: the only place that shows them in full; the list copies them as well. */
function MadeTokens({ tokens, onClose }: { tokens: readonly Token[]; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <SidePanel
      title={t('tokens.made.title', { count: tokens.length })}
      takesFocus
      onClose={onClose}
      foot={
        <>
          {tokens.length > 1 && <CopyButton label={t('tokens.made.copy_all')} text={tokens.map((token) => `sk-${token.key}`).join('\n')} />}
          <Button variant="filled" onClick={onClose}>
            {t('common.action.done')}
          </Button>
        </>
      }
    >
      <p className={styles.madeText}>
        <StatusMark status="on">{t('tokens.made.text', { count: tokens.length })}</StatusMark>
      </p>
      <ul className={styles.made}>
        {tokens.map((token) => (
          <li key={token.id}>
            <b>{token.name}</b>
            <span className={styles.madeKey} data-autofocus>
              <code>sk-{token.key}</code>
              <CopyIcon text={`sk-${token.key}`} label={t('tokens.action.copy_named', { name: token.name })} />
            </span>
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}
