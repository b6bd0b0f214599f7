import type { InvitationRecord } from '#server/db/records/invitation.ts';
import type { MailMessage } from '#server/notify/mail.ts';
import { escapeHtml } from '#server/notify/notification-texts.ts';

interface Site {
  systemName: string;
  link: string;
}

/** What the mail with an invitation says. */
export function invitationMail(
  { language, username, expires_at: expiry }: Pick<InvitationRecord, 'language' | 'username' | 'expires_at'>,
  { systemName, link }: Site,
): Omit<MailMessage, 'to'> {
  const until = `${new Date(expiry * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const isChinese = language === 'zh';
  const greeting = isChinese
    ? `您好，管理员邀请您使用${systemName}，用户名为 ${username}。`
    : `Hello, an administrator of ${systemName} has invited you. Your username is ${username}.`;
  const anchor = (text: string) => `<a href="${escapeHtml(link)}">${text}</a>`;
  const action = isChinese ? `点击${anchor('此处')}设置密码并登录。` : `To set a password and sign in, open ${anchor('this page')}.`;
  const plainAction = isChinese ? '打开下面的地址，设置密码并登录：' : 'To set a password and sign in, open this address:';
  const fallback = isChinese
    ? '如果链接无法点击，请将下面的地址复制到浏览器中打开：'
    : 'If the link does not work, copy this address into your browser:';
  const end = isChinese
    ? `邀请链接有效期至 ${until}。如果您不认识该站点，请忽略本邮件。`
    : `The link is valid until ${until}. If you do not know this site, please ignore this mail.`;
  return {
    language,
    subject: isChinese ? `${systemName}邀请您加入` : `${systemName}: your invitation`,
    text: [greeting, plainAction, link, end].join('\n\n'),
    html: `<p>${escapeHtml(greeting)}</p><p>${action}</p><p>${fallback}<br> ${escapeHtml(link)} </p><p>${end}</p>`,
  };
}
