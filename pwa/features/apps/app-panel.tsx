import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { appText } from '#pwa/api/app-text.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { AppMark } from './app-mark.tsx';

interface AppPanelProps {
  token: Token;
  isRevoking: boolean;
  onRevoke: () => void;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** What one application may do, and has done. */
export function AppPanel({ token, isRevoking, onRevoke, ...ways }: AppPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { application, accessed_time: accessed, created_time: created } = token;
  const models = token.model_limits.split(',').filter((name) => name !== '');
  return (
    <SidePanel
      {...ways}
      title={<bdi>{application?.name}</bdi>}
      note={`#${token.id}`}
      foot={<OnlineButton variant="subtle" data-danger loading={isRevoking} onClick={onRevoke} label={t('apps.list.revoke')} />}
    >
      <div className={layout.stackLg}>
        <AppMark token={token} />
        <SummaryList
          items={[
            { name: t('apps.column.target'), value: application === undefined ? '' : appText(application) },
            { name: t('tokens.column.name'), value: token.name },
            { name: t('tokens.column.balance'), value: token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota) },
            { name: t('tokens.column.used'), value: format.quota(token.used_quota) },
            { name: t('tokens.column.expiry'), value: token.expired_time === -1 ? t('tokens.never') : format.dateTime(token.expired_time) },
            { name: t('apps.panel.models'), value: token.model_limits_enabled ? models.join(', ') : t('tokens.any_model') },
            { name: t('apps.panel.addresses'), value: token.allow_ips === '' ? t('apps.panel.any_address') : token.allow_ips },
            { name: t('apps.column.created'), value: format.dateTime(application?.at ?? created) },
            { name: t('tokens.column.accessed'), value: accessed > created ? format.dateTime(accessed) : '—' },
          ]}
        />
        <span className={layout.wrap}>
          <Button renderRoot={(attributes) => <Link {...attributes} to="/token" search={{ open: String(token.id) }} />}>
            {t('apps.panel.limits')}
          </Button>
          <Button renderRoot={(attributes) => <Link {...attributes} to="/log" search={{ token: token.name }} />}>
            {t('apps.panel.calls')}
          </Button>
        </span>
      </div>
    </SidePanel>
  );
}
