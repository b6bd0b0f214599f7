import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { type User, UserStatus } from '#shared/user.ts';
import { type ManageAction } from '#shared/users.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useColumns } from '#pwa/ui/list/columns.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { UserFilters } from './user-filters.tsx';
import { useManageUser } from './use-manage-user.ts';
import { useUserColumns } from './user-columns.tsx';
import type { UserCommand } from './user-menu.tsx';
import { useUserList } from './use-user-list.ts';
import type { UsersSearch } from './users-search.ts';

// What a list does not need is loaded when it is opened.
const NewUserPanel = lazyPart(
  () => import('./new-user-panel.tsx'),
  (part) => part.NewUserPanel,
  <PanelSpace />,
);
const UserPanel = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./user-panel.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.UserPanel,
  <PanelSpace />,
);

interface UsersScreenProps {
  search: UsersSearch;
  onSearch: (change: Partial<UsersSearch>) => void;
  /** The user in the panel; `add` for a new one. */
  open: string | undefined;
  onOpen: (open: string | undefined) => void;
}

const nobody = { role: Role.guest, id: 0 };

export function UsersScreen({ search, onSearch, open, onOpen }: UsersScreenProps) {
  const { t } = useTranslation();
  const actor = useStoredUser() ?? nobody;
  const users = useManageUser();
  const [question, setQuestion] = useState<UserQuestionState>();
  const columns = useColumns(useUserColumns({ actor, onCommand: handleCommand }), 'users-table-columns');
  const screen = useListScreen({ search, onSearch, open, onOpen });
  const { listed, onFilter } = useUserList({ search, onSearch, screen });
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: listed.rows, rowKey: (row) => row.id });
  const handleClose = (): void => onOpen(undefined);

  function handleCommand(command: UserCommand, user: User): void {
    if (command === 'edit') onOpen(String(user.id));
    // Harmless and reverted in one step; the others need a confirmation. A failure has been shown as a toast.
    else if (command === 'enable') void users.manage(user.id, command).catch(() => {});
    else setQuestion({ action: command, user });
  }
  async function handleYes({ action, user }: UserQuestionState): Promise<void> {
    if (action === 'delete' && open === String(user.id)) onOpen(undefined);
    await users.manage(user.id, action).catch(() => {});
    setQuestion(undefined);
  }

  return (
    <Screen
      title={t('users.title')}
      actions={
        <>
          <Button renderRoot={(attributes) => <Link {...attributes} to="/balances" />}>{t('users.action.balances')}</Button>
          <Button renderRoot={(attributes) => <Link {...attributes} to="/user-tokens" />}>{t('users.action.tokens')}</Button>
          <Button renderRoot={(attributes) => <Link {...attributes} to="/invitations" />}>{t('users.action.invitations')}</Button>
          {/* The open form has the one button that is filled. */}
          <OnlineButton
            variant={open === undefined ? 'filled' : 'default'}
            icon={<Icon name="plus" />}
            onClick={() => onOpen('add')}
            label={t('users.action.add')}
          />
        </>
      }
      filters={<UserFilters search={search} listed={listed} columns={columns} onFilter={onFilter} />}
      panelFollows
      panel={
        open === undefined ? undefined : open === 'add' ? (
          <NewUserPanel onClose={handleClose} onCreated={handleClose} />
        ) : (
          <UserPanel
            key={open}
            id={Number(open)}
            row={opened}
            actor={actor}
            busyId={users.busyId}
            onCommand={handleCommand}
            onClose={handleClose}
            {...ways}
          />
        )
      }
    >
      <DataList
        {...listed}
        label={t('users.title')}
        columns={columns.shown}
        room={columns.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.username}
        open={open}
        onOpen={onOpen}
        isTwoLine
        isMuted={(row) => row.DeletedAt !== null || row.status !== UserStatus.active}
        empty={{ title: t('users.empty.title'), text: t('users.empty.text') }}
      />
      {question !== undefined && (
        <UserQuestion asked={question} onYes={() => handleYes(question)} onCancel={() => setQuestion(undefined)} />
      )}
    </Screen>
  );
}

interface UserQuestionState {
  action: ManageAction;
  user: User;
}

function UserQuestion({
  asked: question,
  onYes,
  onCancel,
}: {
  asked: UserQuestionState;
  onYes: () => Promise<void>;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const { action, user } = question;
  return (
    <ConfirmDialog
      opened
      title={t(`users.confirm.${action}_title`, { name: user.username })}
      text={t(`users.confirm.${action}_text`, { balance: format.quota(user.quota) })}
      confirmLabel={t(`users.action.${action}`)}
      isDanger={action === 'delete'}
      onConfirm={onYes}
      onCancel={onCancel}
    />
  );
}
