import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import type { Token } from '#shared/tokens.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { useInReadersLanguage } from './readers-language.ts';
import type { Arrival, Door } from './call-gates.ts';
import styles from './first-call.module.css';

/** The cause of a refusal in words, what the provider said where it was the provider, and the way to put it right. */
export function WhyRefused({ arrival, token, isAdmin }: { arrival: Arrival; token: Token; isAdmin: boolean }) {
  const { t } = useTranslation();
  const { cause, door, call, refusal } = arrival;
  const problem = useInReadersLanguage(refusal === null ? (call?.problem ?? '') : '');
  if (cause === undefined) return null;
  const requestId = refusal?.request_id ?? call?.request_id ?? '';
  const values = {
    tail: refusal?.key_tail ?? '',
    own: token.key.slice(-4),
    count: Math.max(0, token.key.length - (refusal?.key_length ?? 0)),
    model: refusal?.model ?? call?.model ?? '',
    token: refusal?.token_name ?? call?.token_name ?? '',
    ip: refusal?.ip ?? '',
    channel: call?.channel?.name ?? '',
    status: call?.status ?? refusal?.status ?? 0,
    code: refusal?.code ?? '',
  };
  // Too short a key shows nothing of itself.
  const key = cause === 'key_cut' && values.tail === '' ? 'key_unknown' : cause;
  return (
    <div className={`${layout.stackSm} ${styles.why}`}>
      <p>{t(`guide.cause.${key}`, values)}</p>
      {problem !== '' && <p className={styles.words}>{problem}</p>}
      {requestId !== '' && <p className={`${typography.note} ${styles.note}`}>{t('common.load.request_id', { id: requestId })}</p>}
      {door !== undefined && <DoorButton door={door} channelId={call?.channel?.id} tokenId={token.id} isAdmin={isAdmin} />}
    </div>
  );
}

interface DoorProps {
  door: Door;
  channelId: number | undefined;
  tokenId: number;
  isAdmin: boolean;
}

/** Only to where the reader may go. */
function DoorButton({ door, channelId, tokenId, isAdmin }: DoorProps) {
  const { t } = useTranslation();
  const user = useStoredUser();
  if (door !== 'tokens' && !isAdmin) return null;
  if (door === 'users' && (user?.role ?? 0) < Role.admin) return null;
  const label = t(`guide.door.${door}`);
  if (door === 'tokens') {
    return <Button renderRoot={(attributes) => <Link {...attributes} to="/token" search={{ open: String(tokenId) }} />}>{label}</Button>;
  }
  if (door === 'channel' && channelId !== undefined) {
    return (
      <Button
        renderRoot={(attributes) => (
          <Link {...attributes} to="/channel/edit/$id" params={{ id: String(channelId) }} search={{ next: 'first-call' }} />
        )}
      >
        {label}
      </Button>
    );
  }
  if (door === 'settings') {
    return <Button renderRoot={(attributes) => <Link {...attributes} to="/setting" search={{ field: 'ModelRatio' }} />}>{label}</Button>;
  }
  const to = door === 'users' ? '/user' : '/channel';
  return <Button renderRoot={(attributes) => <Link {...attributes} to={to} />}>{label}</Button>;
}
