// What a success says beyond "done". The zh texts are interface: existing clients show or compare them.
import type { Language } from '#shared/errors.ts';

export const notices = {
  setup_finished: { zh: '系统初始化成功', en: 'The system has been set up' },
  model_ratios_reset: { zh: '重置模型倍率成功', en: 'The model ratios were reset' },
  user_setting_saved: { zh: '设置已更新', en: 'The setting was updated' },
  /** With a new password of one's own. */
  access_token_ended: { zh: '密码已修改，系统访问令牌已失效', en: 'The password was changed; the system access token no longer works' },
  earnings_transferred: { zh: '划转成功', en: 'Transferred' },
  /** Old clients compare it. */
  bound: { zh: 'bind', en: 'bind' },
  /** A marker that clients compare. */
  success: { zh: 'success', en: 'success' },
  server_running: { zh: 'Server is running', en: 'Server is running' },
} as const satisfies Record<string, Record<Language, string>>;

export type NoticeCode = keyof typeof notices;
