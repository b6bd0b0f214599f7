import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayActOn, Role } from '#shared/roles.ts';
import { TokenStatus } from '#shared/tokens.ts';
import type { UserToken } from '#shared/user-tokens.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { RecordPanel } from '#pwa/records/record-panel.tsx';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { LimitFields, TokenLimits } from './limit-fields.tsx';
import { userTokenQuery, useUnblockToken } from './queries.ts';
import { useLimitComparison, useLimitForm } from './use-limit-form.ts';
import { UserTokenStanding } from './user-token-standing.tsx';

const TokenDialog = lazyPart(
  () => import('./token-dialogs.tsx'),
  (part) => part.TokenDialog,
);

interface UserTokenPanelProps {
  id: number;
  /** The token as the list has it; undefined if it is on another page. */
  row: UserToken | undefined;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** A user's token: its owner and state, its limits, and what an administrator may do. */
export function UserTokenPanel({ id, row, ...ways }: UserTokenPanelProps) {
  const { t } = useTranslation();
  const role = useStoredUser()?.role ?? Role.guest;
  const query = useQuery(userTokenQuery(id));
  const token = query.data;
  if (token === undefined) {
    return (
      <SidePanel {...ways} isTall title={row?.name ?? t('user-tokens.title')} note={`#${id}`}>
        <QueryState query={query} what={t('user-tokens.title')} lines={8}>
          {() => null}
        </QueryState>
      </SidePanel>
    );
  }
  if (token.DeletedAt === null && mayActOn(role, token.owner.role)) return <ManagedPanel key={token.id} token={token} {...ways} />;
  return (
    <SidePanel {...ways} title={token.name} note={`#${token.id}`}>
      <UserTokenStanding token={token} />
      {token.DeletedAt === null && <StatusMark status="note">{t('user-tokens.only_read')}</StatusMark>}
    </SidePanel>
  );
}

type Act = 'block' | 'move' | 'remove';

function ManagedPanel({ token, ...ways }: Omit<UserTokenPanelProps, 'id' | 'row'> & { token: UserToken }) {
  const { t } = useTranslation();
  const edited = useLimitForm(token);
  const unblock = useUnblockToken();
  const [act, setAct] = useState<Act>();
  const isOff = token.status === TokenStatus.disabled;
  const handleToggle = (): void => {
    if (isOff) unblock.mutate(token, { onError: (error) => toastFailure(failureOf(error)) });
    else setAct('block');
  };
  return (
    <RecordPanel
      {...ways}
      formId="user-token"
      edited={edited}
      comparison={useLimitComparison()}
      standing={
        <div className={layout.stackMd}>
          <UserTokenStanding token={token} />
          <span className={layout.wrap}>
            {token.managed_by === undefined && <OnlineButton onClick={() => setAct('move')} label={t('user-tokens.move.action')} />}
          </span>
          {/* Within the panel: on a phone that is modal, and what stands elsewhere is inert. */}
          {act !== undefined && <TokenDialog act={act} token={token} onClose={() => setAct(undefined)} onGone={ways.onClose} />}
        </div>
      }
      isManaged={token.managed_by !== undefined}
      heading={t('user-tokens.limits')}
      limits={<TokenLimits token={token} edited={edited} />}
      history={`token:${token.id}`}
      toggle={{
        label: t(isOff ? 'user-tokens.unblock' : 'user-tokens.block.action'),
        isPending: unblock.isPending,
        onToggle: handleToggle,
      }}
      onRemove={() => setAct('remove')}
    >
      <LimitFields form={edited.form} managedBy={token.managed_by} />
    </RecordPanel>
  );
}
