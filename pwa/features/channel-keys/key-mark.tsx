import { useTranslation } from 'react-i18next';
import type { ChannelKey, KeyState } from '#shared/channel-keys.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

export const keyMarks: Record<KeyState, Status> = {
  healthy: 'on',
  new: 'unreached',
  cooling_down: 'expired',
  refused: 'auto',
  no_balance: 'empty',
  disabled: 'off',
};

/** State of a key, with the end of its cool-down. */
export function KeyMark({ of }: { of: Pick<ChannelKey, 'state' | 'cooling_until'> }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <StatusMark status={keyMarks[of.state]}>
      {of.state === 'cooling_down'
        ? t('channel-keys.state.cooling_until', { time: format.clock(of.cooling_until) })
        : t(`channel-keys.state.${of.state}`)}
    </StatusMark>
  );
}

/** Reason and time of the state, on one line; empty if it needs none. */
export function useStateReason(): (key: ChannelKey) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ state, status, since, by, cooling_models: models }) => {
    if (state === 'cooling_down') {
      const cause = status === 200 ? t('channel-keys.reason.exhausted') : String(status);
      return models.length === 0 ? cause : t('channel-keys.reason.models', { cause, models: models.join(', ') });
    }
    if (state === 'refused' || state === 'no_balance') {
      const cause = status === 0 ? '' : String(status);
      return [cause, since === 0 ? '' : format.dateTime(since), t('channel-keys.reason.not_tried')]
        .filter((part) => part !== '')
        .join(', ');
    }
    if (state !== 'disabled' || since === 0) return '';
    return by === '' ? format.dateTime(since) : t('channel-keys.reason.by', { name: by, time: format.dateTime(since) });
  };
}

export function endingText(ending: string): string {
  return `…${ending}`;
}
