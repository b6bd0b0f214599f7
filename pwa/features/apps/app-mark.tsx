import { useTranslation } from 'react-i18next';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

const marks: Record<number, { mark: Status; word: 'enabled' | 'disabled' | 'expired' | 'exhausted' }> = {
  [TokenStatus.enabled]: { mark: 'on', word: 'enabled' },
  [TokenStatus.disabled]: { mark: 'off', word: 'disabled' },
  [TokenStatus.expired]: { mark: 'expired', word: 'expired' },
  [TokenStatus.exhausted]: { mark: 'empty', word: 'exhausted' },
};

/** Whether the key works. */
export function AppMark({ token: { status } }: { token: Token }) {
  const { t } = useTranslation();
  const { mark, word } = marks[status] ?? { mark: 'note', word: 'unknown' };
  return <StatusMark status={mark}>{t(`tokens.status.${word}`)}</StatusMark>;
}
