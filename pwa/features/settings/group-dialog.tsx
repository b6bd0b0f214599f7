import { Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { autoGroup, isGroupName } from '#shared/group-settings.ts';
import { groupApi, type GroupUses, usesText } from '#shared/groups.ts';
import { call } from '#pwa/api/call.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { groupMoveQuery, groupUsesQuery } from './queries.ts';
import styles from './row-table.module.css';

interface GroupDialogProps {
  act: 'rename' | 'remove';
  name: string;
  /** Names that are there already. */
  taken: readonly string[];
  onClose: () => void;
}

/** Confirms that a group is renamed or removed: its contents and their destination. */
export function GroupDialog({ act, name, taken, onClose }: GroupDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const uses = useQuery(groupUsesQuery(name));
  const [to, setTo] = useState(act === 'rename' ? name : 'default');
  const isUsed = uses.data !== undefined && Object.values(uses.data).some((count) => count > 0);
  const trimmed = to.trim();
  const problem = act === 'rename' && trimmed !== name ? nameProblem(trimmed, taken) : undefined;
  const change = useMutation({
    mutationFn: () => {
      if (act === 'rename') return call(groupApi.rename, { body: { name, to: trimmed } });
      return call(groupApi.remove, { body: { name, ...(isUsed ? { to } : {}) } });
    },
    onSuccess: async (move) => {
      queryClient.setQueryData(groupMoveQuery.queryKey, move);
      await Promise.all([queryClient.invalidateQueries(optionsQuery), queryClient.invalidateQueries(groupsQuery)]);
      onClose();
    },
    // What is in it may have changed since it was counted.
    onError: () => void queryClient.invalidateQueries(groupUsesQuery(name)),
  });
  const isReady = act === 'rename' ? problem === undefined && trimmed !== name : uses.data !== undefined;
  async function handleConfirm(): Promise<void> {
    // A toast reports its failure.
    await change.mutateAsync().catch(() => {});
  }
  return (
    <ConfirmDialog
      opened
      title={t(`setting_parts.groups.${act}_title`, { name })}
      hasFields={act === 'rename'}
      isDanger={act === 'remove'}
      isDisabled={!isOnline || !isReady}
      confirmLabel={needs(t(`setting_parts.groups.${act === 'remove' && isUsed ? 'move_and_remove' : act}`))}
      onConfirm={handleConfirm}
      onCancel={onClose}
      text={
        <div className={layout.stackMd}>
          {act === 'rename' && (
            <TextInput
              data-autofocus
              label={t('setting_parts.groups.new_name')}
              value={to}
              error={problem !== undefined && (problem === 'taken' ? t('setting_parts.rows.taken') : t('setting_parts.groups.name_wrong'))}
              autoComplete="off"
              onChange={(event) => setTo(event.currentTarget.value)}
            />
          )}
          {(isOnline || uses.data !== undefined) && (
            <QueryState query={uses} what={t('setting_parts.groups.in_it')} lines={1}>
              {(found) => (isUsed ? <Uses name={name} uses={found} /> : <p>{t('setting_parts.groups.unused')}</p>)}
            </QueryState>
          )}
          {act === 'remove' && isUsed && (
            <Select
              label={t('setting_parts.groups.move_to')}
              data={taken.filter((other) => other !== name)}
              allowDeselect={false}
              value={to}
              onChange={(value) => setTo(value ?? to)}
            />
          )}
          {(act === 'rename' || isUsed) && <p>{t('setting_parts.groups.takes_time')}</p>}
        </div>
      }
    />
  );
}

/** What names the group, with the lists that show it. */
function Uses({ name, uses: { users, keys, channels, lists, invitations } }: { name: string; uses: GroupUses }) {
  const { t } = useTranslation();
  return (
    <ul>
      {users > 0 && (
        <li>
          <Link to="/user" search={{ group: name }} className={styles.use}>
            {t('setting_parts.groups.users', { count: users, number: usesText(users) })}
          </Link>
        </li>
      )}
      {channels > 0 && (
        <li>
          <Link to="/channel" search={{ group: name }} className={styles.use}>
            {t('setting_parts.groups.channels', { count: channels, number: usesText(channels) })}
          </Link>
        </li>
      )}
      {invitations > 0 && (
        <li>
          <Link to="/invitations" className={styles.use}>
            {t('setting_parts.groups.invitations', { count: invitations, number: usesText(invitations) })}
          </Link>
        </li>
      )}
      {keys > 0 && <li>{t('setting_parts.groups.keys', { count: keys, number: usesText(keys) })}</li>}
      {lists > 0 && <li>{t('setting_parts.groups.lists', { count: lists, number: usesText(lists) })}</li>}
    </ul>
  );
}

function nameProblem(name: string, taken: readonly string[]): 'taken' | 'wrong' | undefined {
  if (taken.includes(name) || name === autoGroup) return 'taken';
  return name === '' || !isGroupName(name) ? 'wrong' : undefined;
}
