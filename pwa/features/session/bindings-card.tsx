import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Binding, bindingFields, oauthApi, type RedirectProvider } from '#shared/oauth.ts';
import type { SiteStatus } from '#shared/site.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { FormDialog } from '#pwa/ui/frame/form-dialog.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './account-cards.module.css';
import { EmailDialog } from './email-dialog.tsx';
import { leaveFor, waysOf } from './sign-in-ways.ts';
import { WeChatForm } from './wechat-dialog.tsx';

const order: readonly Binding[] = ['email', 'github', 'oidc', 'linuxdo', 'wechat', 'telegram'];

/** What the own account is bound to. */
export function BindingsCard() {
  const { t } = useTranslation();
  const self = useQuery(selfQuery);
  const status = useSiteStatus();
  return (
    <Block title={t('signin.bindings.title')}>
      <QueryState query={self} what={t('signin.bindings.title')} lines={3}>
        {(user) => <Bindings user={user} status={status} />}
      </QueryState>
    </Block>
  );
}

function Bindings({ user, status }: { user: User; status: SiteStatus | undefined }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'email' | 'wechat'>();
  const [unbinding, setUnbinding] = useState<Binding>();
  const leave = useMutation({ mutationFn: (provider: RedirectProvider) => leaveFor(provider, undefined) });
  const unbind = useMutation({
    mutationFn: (binding: Binding) => call(oauthApi.unbind, { params: { binding } }),
    onSuccess: (after) => {
      queryClient.setQueryData(selfQuery.queryKey, after);
      toastSuccess(t('signin.bindings.unbound_done'));
    },
    onSettled: () => setUnbinding(undefined),
  });
  const isOn = new Set<Binding>(['email', ...waysOf(status)]);
  function handleBind(binding: Binding): void {
    if (binding === 'email' || binding === 'wechat') setOpen(binding);
    else leave.mutate(binding);
  }
  function handleBound(): void {
    setOpen(undefined);
    toastSuccess(t('signin.bindings.bound_done'));
    void queryClient.invalidateQueries(selfQuery);
  }
  return (
    <>
      <ul className={styles.rows}>
        {order
          .filter((binding) => isOn.has(binding) || user[bindingFields[binding]] !== '')
          .map((binding) => (
            <BindingRow
              key={binding}
              binding={binding}
              shown={user[bindingFields[binding]]}
              isOn={isOn.has(binding)}
              isBusy={leave.isPending && leave.variables === binding}
              onBind={() => handleBind(binding)}
              onUnbind={() => setUnbinding(binding)}
            />
          ))}
      </ul>
      {open === 'email' && <EmailDialog status={status} onBound={handleBound} onClose={() => setOpen(undefined)} />}
      {open === 'wechat' && (
        <FormDialog title={t('signin.wechat.bind_title')} onClose={() => setOpen(undefined)}>
          <WeChatForm picture={status?.wechat_qrcode ?? ''} onBound={handleBound} onClose={() => setOpen(undefined)} />
        </FormDialog>
      )}
      <ConfirmDialog
        opened={unbinding !== undefined}
        title={t('signin.bindings.unbind_title', { name: t(`signin.name.${unbinding ?? 'email'}`) })}
        text={t('signin.bindings.unbind_text')}
        confirmLabel={t('signin.bindings.unbind')}
        isDanger
        onConfirm={async () => {
          if (unbinding !== undefined) await unbind.mutateAsync(unbinding).catch(() => undefined);
        }}
        onCancel={() => setUnbinding(undefined)}
      />
    </>
  );
}

interface BindingRowProps {
  binding: Binding;
  /** Empty: not bound. */
  shown: string;
  isOn: boolean;
  isBusy: boolean;
  onBind: () => void;
  onUnbind: () => void;
}

function BindingRow({ binding, shown, isOn, isBusy, onBind, onUnbind }: BindingRowProps) {
  const { t } = useTranslation();
  const isBound = shown !== '';
  // People change their address, and the WeChat account; elsewhere they unbind first.
  const isChangeable = binding === 'email' || binding === 'wechat';
  return (
    <li className={`${layout.spread} ${styles.row}`}>
      <span className={styles.what}>
        <b>{t(`signin.name.${binding}`)}</b>
        <span>{isBound ? shown : t(isOn ? 'signin.bindings.none' : 'signin.bindings.off')}</span>
      </span>
      <span className={layout.wrap}>
        {isOn && (!isBound || isChangeable) && (
          <OnlineButton loading={isBusy} label={t(isBound ? 'signin.bindings.change' : 'signin.bindings.bind')} onClick={onBind} />
        )}
        {isBound && <OnlineButton label={t('signin.bindings.unbind')} onClick={onUnbind} />}
      </span>
    </li>
  );
}
