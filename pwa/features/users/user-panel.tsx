import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { mayActOn } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { userQuery } from './queries.ts';
import { UserSummary } from './user-summary.tsx';
import { UserForm } from './user-form.tsx';
import { UserMore } from './user-more.tsx';
import type { UserCommand } from './user-menu.tsx';
import styles from './user-panel.module.css';
import { editRefusal } from './user-rules.ts';

export interface UserPanelProps {
  id: number;
  /** The user as the list has him; undefined when he is on another page. */
  row: User | undefined;
  actor: Pick<User, 'role'>;
  /** The user that an action is running for. */
  busyId: number | undefined;
  onCommand: (command: UserCommand, user: User) => void;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** A user next to the list: the editor, or a summary of an account that the reader may not change. */
export function UserPanel(props: UserPanelProps) {
  const { id, row, actor, onClose, onPrevious, onNext } = props;
  const { t } = useTranslation();
  const why = row === undefined ? undefined : editRefusal(actor, row);
  const query = useQuery({ ...userQuery(id), enabled: why === undefined });
  const frame = { onClose, onPrevious, onNext };

  if (row !== undefined && why !== undefined) {
    return (
      <SidePanel {...frame} title={row.username} note={`#${row.id}`}>
        <p className={styles.why}>
          <StatusMark status="note">{t(`users.refusal.${why}`)}</StatusMark>
        </p>
        <UserSummary user={row} />
        {/* Questions about money come late. */}
        {why === 'deleted' && mayActOn(actor.role, row.role) && <UserMore user={row} />}
      </SidePanel>
    );
  }
  if (query.data !== undefined) return <UserForm {...props} user={query.data} />;
  return (
    <SidePanel {...frame} isTall title={row?.username ?? t('users.editor.title')} note={`#${id}`}>
      {row !== undefined && query.fetchStatus === 'paused' ? (
        <>
          <p className={styles.why}>
            <StatusMark status="offline">{t('users.offline')}</StatusMark>
          </p>
          <UserSummary user={row} />
        </>
      ) : (
        <QueryState query={query} what={t('users.editor.what')} lines={8}>
          {() => null}
        </QueryState>
      )}
    </SidePanel>
  );
}
