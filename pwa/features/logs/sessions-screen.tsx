// Sessions of clients: the list, or one of them that is opened. Loaded when the log is switched to it.
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import type { LogSearch } from './log-address.ts';
import { SessionList } from './session-list.tsx';
import { isSessionId } from './session-queries.ts';
import { SessionTreeScreen } from './session-tree.tsx';

export interface SessionsScreenProps {
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
}

export function SessionsScreen(props: SessionsScreenProps) {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const { session } = props.search;
  return isSessionId(session) ? (
    <SessionTreeScreen key={session} {...props} id={session} isAdmin={isAdmin} />
  ) : (
    <SessionList {...props} isAdmin={isAdmin} />
  );
}
