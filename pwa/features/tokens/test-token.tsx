import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { commaList } from '#shared/comma-list.ts';
import type { Token } from '#shared/tokens.ts';
import { canChat, isSmall } from '#pwa/api/chat-models.ts';
import { sendFirstCall } from '#pwa/api/first-call.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { usableModelsQuery } from '#pwa/api/usable-models.ts';
import styles from './tokens.module.css';

/** One real call with a token, to a small model that it may use; nothing where it may use no model that chats. */
export function TestToken({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { data: usable = [] } = useQuery(usableModelsQuery);
  const allowed = token.model_limits_enabled ? commaList(token.model_limits) : usable;
  const models = allowed.filter(canChat);
  const model = models.find(isSmall) ?? models[0];
  const test = useMutation({
    mutationFn: (name: string) => sendFirstCall({ key: `sk-${token.key}`, kind: 'chat', model: name }),
    meta: { quiet: true },
  });
  if (model === undefined) return null;
  const refusal = test.data;
  return (
    <div className={`${layout.stackXs} ${styles.test}`}>
      <OnlineButton
        icon={<Icon name="play" />}
        label={t('token_edits.test.send')}
        loading={test.isPending}
        onClick={() => test.mutate(model)}
      />
      {test.isIdle || test.isPending ? (
        <span className={typography.note}>{t('token_edits.test.costs', { model })}</span>
      ) : (
        <p role="status">
          {test.isError ? (
            <StatusMark status="failed">{t('errors.server_unreachable')}</StatusMark>
          ) : refusal === undefined ? (
            <StatusMark status="on">{t('token_edits.test.answered', { model })}</StatusMark>
          ) : (
            <StatusMark status="failed">{t('token_edits.test.refused', { status: refusal.status, message: refusal.message })}</StatusMark>
          )}
        </p>
      )}
    </div>
  );
}
