import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { LimitsPart } from '#pwa/records/limits/limits-part.tsx';
import { PanelParts, usePanelPart } from '#pwa/records/panel-parts.tsx';
import { focusFirstError } from '#pwa/ui/form/field-errors.ts';
import { Later } from '#pwa/ui/frame/later.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { UserConflict } from './user-conflict.tsx';
import { UserFields } from './user-fields.tsx';
import { UserMore } from './user-more.tsx';
import { UserActions, UserSummary } from './user-summary.tsx';
import type { UserPanelProps } from './user-panel.tsx';
import styles from './user-panel.module.css';
import { type EditedUser, useSaveUser, useUserForm } from './use-user-form.ts';

const formId = 'user-form';

export function UserForm({ user, actor, busyId, onCommand, onClose, onPrevious, onNext }: UserPanelProps & { user: User }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isPhone = useIsPhone();
  const edited = useUserForm(user);
  const { form, base, theirs, changes, start } = edited;
  const { save, isPending } = useSaveUser(edited);
  const parts = usePanelPart(form.errors);
  const { part } = parts;

  function handleSubmit(): void {
    if (!isOnline || isPending) return;
    if (form.validate().hasErrors) focusFirstError(formId);
    else if (changes === 0) onClose();
    else save();
  }

  return (
    <SidePanel
      isTall
      title={base.username}
      note={`#${base.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={handleSubmit}
      foot={
        <>
          {!isPhone && changes > 0 && <span className={styles.unsaved}>{t('editing.unsaved', { count: changes })}</span>}
          <Button variant="subtle" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <OnlineButton
            variant="filled"
            type="submit"
            form={formId}
            loading={isPending}
            disabled={changes === 0 && form.values.mode === 'keep'}
            label={t('common.action.save')}
          />
        </>
      }
    >
      <UnsavedEdits when={changes > 0} />
      {theirs !== undefined && (
        <UserConflict
          base={base}
          theirs={theirs}
          mine={form.values}
          isBusy={isPending}
          onKeepMine={() => save(theirs)}
          onReload={() => start(theirs)}
        />
      )}
      <PanelParts {...parts} />
      {part === 'details' && (
        <>
          <UserSummary user={user} canEdit />
          <UserActions user={user} actor={actor} isBusy={busyId === user.id} onCommand={onCommand} />
        </>
      )}
      <Later>
        <form
          id={formId}
          noValidate
          className={styles.form}
          data-part={part}
          onSubmit={(event) => {
            event.preventDefault();
            handleSubmit();
          }}
        >
          {part === 'details' ? <UserFields edited={edited} /> : <UserLimits edited={edited} />}
        </form>
        {part === 'details' && <UserMore user={user} />}
      </Later>
    </SidePanel>
  );
}

/** Budgets and rate limits of all calls of the account. */
function UserLimits({ edited: { form, base } }: { edited: EditedUser }) {
  const { values, errors } = form;
  return (
    <LimitsPart
      owner={{ user_id: String(base.id) }}
      scope="user"
      before={base}
      budgets={{ drafts: values.budgets, error: errors['budgets'], onChange: (drafts) => form.setFieldValue('budgets', drafts) }}
      rates={{ drafts: values.rate_limits, error: errors['rate_limits'], onChange: (drafts) => form.setFieldValue('rate_limits', drafts) }}
    />
  );
}
