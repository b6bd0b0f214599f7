import { Button, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { displayNameLimit, passwordLimits, User, userApi, usernameLimit } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Later } from '#pwa/ui/frame/later.tsx';
import { type ConflictRow, RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { BalanceField } from './balance-field.tsx';
import { userQuery } from './queries.ts';
import { UserActions, UserSummary } from './user-summary.tsx';
import type { UserPanelProps } from './user-panel.tsx';
import styles from './user-panel.module.css';
import { changeCount, editBody, userProblems, valuesOf } from './user-values.ts';

export function UserForm({ user, actor, busyId, onCommand, onClose, onPrevious, onNext }: UserPanelProps & { user: User }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isPhone = useIsPhone();
  const queryClient = useQueryClient();
  const groups = useQuery(groupsQuery);
  const [base, setBase] = useState(user);
  const [theirs, setTheirs] = useState<User>();
  const form = useForm({
    initialValues: valuesOf(user),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(userProblems(values, base)).map(([field, problem]) => [
          field,
          t(`users.problem.${problem}`, {
            min: passwordLimits.min,
            max: passwordLimits.max,
            limit: problem === 'username_long' ? usernameLimit : displayNameLimit,
          }),
        ]),
      ),
  });
  const count = changeCount(base, form.values);

  function start(from: User): void {
    setBase(from);
    setTheirs(undefined);
    form.setValues(valuesOf(from));
    form.clearErrors();
  }
  // Changed elsewhere while nothing is typed here: show that. Use and balance move all the time, without a revision.
  useEffect(() => {
    if (user !== base && count === 0 && form.values.mode === 'keep' && user.revision >= base.revision) start(user);
  });

  const save = useMutation({
    mutationFn: (revision: number) => call(userApi.edit, { body: editBody(base, form.getValues(), revision) }),
    meta: { quiet: true },
    onSuccess: async (saved) => {
      start(saved);
      queryClient.setQueryData(userQuery(saved.id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: ['users'] });
      if (saved.id === actorId(actor)) await queryClient.invalidateQueries({ queryKey: ['self'] });
    },
    onError: (error) => {
      const failure = failureOf(error);
      const current = failure.code === 'revision_conflict' ? User.safeParse(failure.data) : undefined;
      if (current?.success === true) setTheirs(current.data);
      else {
        const field =
          failure.field === 'quota' || failure.field === 'quota_change' || failure.code.startsWith('balance_too')
            ? 'amount'
            : failure.field;
        if (!showOnField(form, { message: failure.message, field })) toastFailure(failure);
      }
    },
  });

  function handleSubmit(): void {
    if (!isOnline || save.isPending) return;
    if (form.validate().hasErrors)
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#user-form [aria-invalid=true]')?.focus());
    else if (count === 0) onClose();
    else save.mutate(base.revision);
  }
  const was = (field: 'username' | 'display_name' | 'group'): string | undefined =>
    form.values[field] === base[field] ? undefined : base[field];
  const groupNames = [...new Set([...(groups.data ?? []), base.group])];

  return (
    <SidePanel
      title={base.username}
      note={`#${base.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={handleSubmit}
      foot={
        <>
          {!isPhone && count > 0 && <span className={styles.unsaved}>{t('editing.unsaved', { count })}</span>}
          <Button variant="subtle" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <OnlineButton
            variant="filled"
            type="submit"
            form="user-form"
            loading={save.isPending}
            disabled={count === 0 && form.values.mode === 'keep'}
            label={t('common.action.save')}
          />
        </>
      }
    >
      <UnsavedEdits when={count > 0} />
      {theirs !== undefined && (
        <Conflict
          base={base}
          theirs={theirs}
          mine={form.values}
          isBusy={save.isPending}
          onKeepMine={() => save.mutate(theirs.revision)}
          onReload={() => start(theirs)}
        />
      )}
      <UserSummary user={user} />
      <UserActions user={user} actor={actor} isBusy={busyId === user.id} onCommand={onCommand} />
      <Later>
        <form
          id="user-form"
          noValidate
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            handleSubmit();
          }}
        >
          <div className={styles.two}>
            <TextInput
              label={<EditLabel was={was('username')}>{t('users.field.username')}</EditLabel>}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...form.getInputProps('username')}
            />
            <TextInput
              label={<EditLabel was={was('display_name')}>{t('users.field.display_name')}</EditLabel>}
              autoComplete="off"
              {...form.getInputProps('display_name')}
            />
          </div>
          <Select
            label={<EditLabel was={was('group')}>{t('users.field.group')}</EditLabel>}
            data={groupNames}
            {...form.getInputProps('group')}
          />
          <PasswordField
            label={t('users.field.new_password')}
            placeholder={t('users.field.new_password_hint')}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <BalanceField
            quota={base.quota}
            mode={form.values.mode}
            amount={form.values.amount}
            error={form.errors.amount}
            onChange={(change) => form.setValues(change)}
          />
        </form>
      </Later>
    </SidePanel>
  );
}

interface ConflictProps {
  base: User;
  theirs: User;
  mine: { username: string; display_name: string; group: string };
  isBusy: boolean;
  onKeepMine: () => void;
  onReload: () => void;
}

function Conflict({ base, theirs, mine, ...rest }: ConflictProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const rows: ConflictRow[] = (['username', 'display_name', 'group'] as const)
    .filter((field) => base[field] !== theirs[field])
    .map((field) => ({
      field,
      name: t(`users.field.${field}`),
      base: base[field],
      theirs: theirs[field],
      ...(mine[field] === base[field] ? {} : { mine: mine[field] }),
    }));
  if (base.quota !== theirs.quota) {
    rows.push({ field: 'quota', name: t('users.column.balance'), base: format.quota(base.quota), theirs: format.quota(theirs.quota) });
  }
  if (base.role !== theirs.role) rows.push({ field: 'role', name: t('users.column.role'), base: roleName(base), theirs: roleName(theirs) });
  if (base.status !== theirs.status)
    rows.push({ field: 'status', name: t('users.column.status'), base: statusName(base), theirs: statusName(theirs) });
  return <RevisionConflict rows={rows} {...rest} />;

  function roleName({ role }: User): string {
    return t(`common.role.${role >= 100 ? 'root' : role >= 10 ? 'admin' : 'user'}`);
  }
  function statusName({ status }: User): string {
    return t(`users.status.${status === 1 ? 'active' : status === 2 ? 'banned' : 'locked'}`);
  }
}

function actorId(actor: object): number | undefined {
  return 'id' in actor && typeof actor.id === 'number' ? actor.id : undefined;
}
