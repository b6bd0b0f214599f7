import type { TFunction } from 'i18next';
import { displayNameProblem } from '#shared/account-rules.ts';
import { displayNameLimit } from '#shared/user.ts';
import { webhookUrlOf } from '#shared/webhook-url.ts';
import { lowWaterKey, ownNameKey, ownSettingKeys } from '#pwa/offline/edits/own-setting.ts';

export const secretKey = 'webhook_secret';
export const ownKeys = [...ownSettingKeys, ownNameKey] as const;
export type OwnKey = (typeof ownKeys)[number];
type FieldKey = OwnKey | typeof secretKey;
export type OwnProblems = Partial<Record<FieldKey, string>>;

/** Fields that have a place for what is wrong with them. */
const fieldsWithProblem: readonly FieldKey[] = [lowWaterKey, 'notification_email', 'webhook_url', secretKey, ownNameKey];

/** The field that shows what is wrong with what the server calls so. */
export function fieldNamed(name: string | undefined): FieldKey | undefined {
  return fieldsWithProblem.find((key) => key === name);
}

interface Found {
  value: (key: OwnKey) => string;
  changed: readonly OwnKey[];
  /** A new credential that cannot be sent now. */
  isSecretStuck: boolean;
  t: TFunction;
}

/** What can be said of the fields before anything is sent. */
export function problemsOf({ value, changed, isSecretStuck, t }: Found): OwnProblems {
  const found: OwnProblems = {};
  const [url, email] = [value('webhook_url').trim(), value('notification_email').trim()];
  if (value(lowWaterKey) === '' && changed.includes(lowWaterKey)) found[lowWaterKey] = t('personal.mark.required');
  if (value('notify_type') === 'webhook' && url === '') found.webhook_url = t('personal.notice.url_required');
  else if (url !== '' && webhookUrlOf(url, true) === undefined) found.webhook_url = t('personal.notice.url_invalid');
  if (email !== '' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) found.notification_email = t('personal.notice.email_invalid');
  if (isSecretStuck) found.webhook_secret = t('personal.notice.secret_online');
  if (changed.includes(ownNameKey)) {
    const problem = nameProblem(value(ownNameKey).trim(), t);
    if (problem !== undefined) found[ownNameKey] = problem;
  }
  return found;
}

function nameProblem(name: string, t: TFunction): string | undefined {
  if (name === '') return t('personal.name.required');
  const problem = displayNameProblem(name);
  if (problem === undefined) return undefined;
  return problem === 'display_name_long' ? t('personal.name.long', { limit: displayNameLimit }) : t('personal.name.characters');
}
