import type { Language } from '#shared/errors.ts';
import type { MailMessage } from '#server/notify/mail.ts';
import { escapeHtml } from '#server/notify/notification-texts.ts';

interface Facts {
  language: Language;
  organisation: string;
  inviter: string;
  systemName: string;
  link: string;
  /** Unix seconds. */
  expires: number;
}

/** The mail with an invitation to an organisation. */
export function inviteMail({ language, organisation, inviter, systemName, link, expires }: Facts): Omit<MailMessage, 'to'> {
  const until = `${new Date(expires * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const isChinese = language === 'zh';
  const greeting = isChinese
    ? `您好，${inviter} 邀请您加入 ${systemName} 上的组织“${organisation}”。`
    : `Hello, ${inviter} has invited you to the organisation “${organisation}” on ${systemName}.`;
  const anchor = (text: string) => `<a href="${escapeHtml(link)}">${text}</a>`;
  const action = isChinese ? `登录后点击${anchor('此处')}加入。` : `To join, sign in and open ${anchor('this page')}.`;
  const plainAction = isChinese ? '登录后打开下面的地址加入：' : 'To join, sign in and open this address:';
  const end = isChinese
    ? `邀请链接有效期至 ${until}，只能使用一次。如果您不认识该站点，请忽略本邮件。`
    : `The link is valid until ${until} and works once. If you do not know this site, please ignore this mail.`;
  return {
    language,
    subject: isChinese ? `邀请您加入组织 ${organisation}` : `Invitation to the organisation ${organisation}`,
    text: [greeting, plainAction, link, end].join('\n\n'),
    html: `<p>${escapeHtml(greeting)}</p><p>${action}</p><p>${escapeHtml(link)}</p><p>${end}</p>`,
  };
}
