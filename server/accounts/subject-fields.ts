import type { Binding } from '#shared/oauth.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Field with the identity, by kind of binding. */
export const subjectFields = {
  github: 'github_subject',
  oidc: 'oidc_subject',
  linuxdo: 'linux_do_subject',
  wechat: 'wechat_subject',
  telegram: 'telegram_subject',
  email: 'email_folded',
} as const satisfies Record<Binding, keyof UserRecord>;
