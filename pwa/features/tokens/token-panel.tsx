import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Token } from '#shared/tokens.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton, useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { CopyButton, CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { SummaryList, PanelSection, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { verbOf } from './row-actions.tsx';
import { useEditToken, useToggleToken } from './token-actions.ts';
import { TokenConflict } from './token-conflict.tsx';
import { TokenFields } from './token-fields.tsx';
import { editBody, isUnchanged, type TokenValues, valuesOf } from './token-form.ts';
import { chatAddress, maskKey, wholeKey } from './token-key.ts';
import { Balance, TokenMark } from './token-labels.tsx';
import { focusFirstError, useTokenForm } from './use-token-form.ts';
import styles from './tokens.module.css';

const formId = 'token';

interface TokenPanelProps {
  token: Token;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onRemove: () => void;
}

/** One token: how it stands, its key, and the form that changes it. */
export function TokenPanel({ token, onClose, onPrevious, onNext, onRemove }: TokenPanelProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isPhone = useIsPhone();
  const toggle = useToggleToken();
  const edit = useEditToken();
  // The record that the form's changes are measured against; the list beside it goes on being refreshed.
  const [before, setBefore] = useState(token);
  const [theirs, setTheirs] = useState<Token | null>(null);
  const form = useTokenForm(valuesOf(before), () => before);
  const isDirty = form.isDirty();
  const failure = edit.error === null ? null : failureOf(edit.error);
  const isAtField = failure?.field !== undefined && failure.field in form.errors;

  function startFrom(record: Token): void {
    setBefore(record);
    setTheirs(null);
    form.setInitialValues(valuesOf(record));
    form.setValues(valuesOf(record));
    form.resetDirty(valuesOf(record));
    form.clearErrors();
  }
  useEffect(() => {
    // An untouched form follows the record.
    if (!isDirty && theirs === null && token.revision > before.revision) startFrom(token);
  });

  function save(values: TokenValues, revision?: number): void {
    const body = editBody(values, before, revision);
    if (isUnchanged(body)) return;
    edit.mutate(body, {
      onSuccess: (saved) => startFrom(saved),
      onError: (error) => {
        const { code, data } = failureOf(error);
        const current = code === 'revision_conflict' ? Token.safeParse(data) : undefined;
        if (current?.success === true) setTheirs(current.data);
        else showOnField(form, failureOf(error));
      },
    });
  }
  const submit = form.onSubmit((values) => save(values), focusFirstError);
  const needs = useNeedsConnection();

  return (
    <SidePanel
      title={before.name}
      note={`#${token.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={() => submit()}
      foot={
        isPhone && !isOnline ? (
          // Three such labels do not fit beside each other.
          <Button disabled leftSection={<Icon name="unlinked" />}>
            {needs(t('tokens.action.change'))}
          </Button>
        ) : (
          <>
            <OnlineButton variant="subtle" data-danger onClick={onRemove} label={t('common.action.delete')} />
            <span className={styles.space} />
            <OnlineButton loading={toggle.isPending} onClick={() => toggle.mutate(token)} label={t(`tokens.action.${verbOf(token)}`)} />
            <OnlineButton
              variant="filled"
              type="submit"
              form={formId}
              loading={edit.isPending}
              disabled={!isDirty}
              label={t('common.action.save')}
            />
          </>
        )
      }
    >
      <Standing token={token} />
      {theirs !== null && (
        <div className={styles.conflict}>
          <TokenConflict
            before={before}
            theirs={theirs}
            values={form.values}
            isBusy={edit.isPending}
            onReload={() => startFrom(theirs)}
            onKeepMine={() => save(form.values, theirs.revision)}
          />
        </div>
      )}
      <PanelSection title={t('tokens.panel.edit')}>
        <form id={formId} className={styles.form} noValidate onSubmit={submit}>
          <Later>
            <TokenFields form={form} asksCount={false} />
          </Later>
          {failure !== null && !isAtField && theirs === null && (
            <p role="alert">
              <StatusMark status="failed">{failure.message}</StatusMark>
            </p>
          )}
        </form>
      </PanelSection>
      <UnsavedEdits when={isDirty} />
    </SidePanel>
  );
}

/** Status, key and balance as they are now, above the form. */
function Standing({ token }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  const key = wholeKey(token);
  return (
    <div className={styles.standing}>
      <TokenMark status={token.status} />
      <Balance token={token} size="normal" />
      <SummaryList
        items={[
          {
            name: t('tokens.panel.key'),
            value:
              key === undefined ? (
                <span className={styles.mono}>sk-{maskKey(token.key)}</span>
              ) : (
                <CopyText mono text={key} shown={`sk-${maskKey(token.key)}`} label={t('tokens.action.copy_named', { name: token.name })} />
              ),
          },
          { name: t('tokens.column.used'), value: format.quota(token.used_quota) },
          { name: t('tokens.column.created'), value: format.dateTime(token.created_time) },
          ...(token.accessed_time > token.created_time
            ? [{ name: t('tokens.column.accessed'), value: format.dateTime(token.accessed_time) }]
            : []),
        ]}
      />
      {key !== undefined && (
        <div className={styles.keyActions}>
          <CopyButton label={t('tokens.action.copy_key')} text={key} />
          <ChatLinks apiKey={key} />
        </div>
      )}
    </div>
  );
}

/** Chat applications that the site offers, opened with this key. */
function ChatLinks({ apiKey }: { apiKey: string }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const address = siteAddress(status);
  const links = (status?.chats ?? []).flatMap((chat) =>
    Object.entries(chat).flatMap(([name, template]) => {
      const href = chatAddress(template, { key: apiKey, address });
      return href === undefined ? [] : [{ name, href }];
    }),
  );
  if (links.length === 0) return null;
  return (
    <details className={styles.chats}>
      <summary>
        {t('tokens.chat.open')}
        <Icon name="down" />
      </summary>
      <p className={styles.hint}>{t('tokens.chat.hint')}</p>
      <ul>
        {links.map(({ name, href }) => (
          <li key={name}>
            <a href={href} target="_blank" rel="noopener noreferrer">
              {name}
              <Icon name="link" />
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
