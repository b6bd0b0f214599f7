import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { OnlineButton, useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { focusFirstError } from '#pwa/ui/form/field-errors.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { PanelSection, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { verbOf } from './row-actions.tsx';
import { useToggleToken } from './token-actions.ts';
import { TokenConflict } from './token-conflict.tsx';
import { TokenFields } from './token-fields.tsx';
import { TokenStanding } from './token-standing.tsx';
import { useSaveToken, useTokenForm } from './use-token-form.ts';
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
  const edited = useTokenForm(token);
  const { form, base, theirs, start } = edited;
  const { save, isPending, refusal } = useSaveToken(edited);
  const submit = form.onSubmit(
    () => save(),
    () => focusFirstError(formId),
  );
  return (
    <SidePanel
      isTall
      title={base.name}
      note={`#${token.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={() => submit()}
      foot={<PanelFoot token={token} isDirty={form.isDirty()} isSaving={isPending} onRemove={onRemove} />}
    >
      <TokenStanding token={token} />
      {theirs !== undefined && (
        <div className={styles.conflict}>
          <TokenConflict
            before={base}
            theirs={theirs}
            values={form.values}
            isBusy={isPending}
            onReload={() => start(theirs)}
            onKeepMine={() => save(theirs)}
          />
        </div>
      )}
      <PanelSection title={t('tokens.panel.edit')}>
        <form id={formId} className={styles.form} noValidate onSubmit={submit}>
          <Later>
            <TokenFields form={form} asksCount={false} />
          </Later>
          <Refusal text={refusal} />
        </form>
      </PanelSection>
      <UnsavedEdits when={form.isDirty()} />
    </SidePanel>
  );
}

interface PanelFootProps {
  token: Token;
  isDirty: boolean;
  isSaving: boolean;
  onRemove: () => void;
}

function PanelFoot({ token, isDirty, isSaving, onRemove }: PanelFootProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isPhone = useIsPhone();
  const needs = useNeedsConnection();
  const toggle = useToggleToken();
  if (isPhone && !isOnline) {
    // Three such labels do not fit beside each other.
    return (
      <Button disabled leftSection={<Icon name="unlinked" />}>
        {needs(t('tokens.action.change'))}
      </Button>
    );
  }
  return (
    <>
      <OnlineButton variant="subtle" data-danger onClick={onRemove} label={t('common.action.delete')} />
      <span className={styles.space} />
      <OnlineButton loading={toggle.isPending} onClick={() => toggle.mutate(token)} label={t(`tokens.action.${verbOf(token)}`)} />
      <OnlineButton variant="filled" type="submit" form={formId} loading={isSaving} disabled={!isDirty} label={t('common.action.save')} />
    </>
  );
}
