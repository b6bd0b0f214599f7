import type { TFunction } from 'i18next';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';

/** The token that a call came with. An administrator's test of a channel has none: the row says in Chinese what it was. */
export function tokenName(log: Log, t: TFunction): string {
  return otherOf(log)?.['test_quota'] === undefined ? log.token_name : t('common.channel_test');
}
