// What the mails of this slice say.
import type { Language } from '#shared/errors.ts';
import { escapeHtml } from '#server/notify/notification-texts.ts';
import type { MailMessage } from '#server/notify/mail.ts';

interface CodeMail {
  systemName: string;
  code: string;
  minutes: number;
}

interface ResetMail {
  systemName: string;
  token: string;
  /** Absent while the address of this site is not set: the token is typed instead. */
  link: string | undefined;
  minutes: number;
}

type MailText = Omit<MailMessage, 'to'>;

export function codeMail(language: Language, { systemName, code, minutes }: CodeMail): MailText {
  const lines = {
    zh: [`您好，你正在进行${systemName}邮箱验证。`, '您的验证码为: ', `验证码 ${minutes} 分钟内有效，如果不是本人操作，请忽略。`],
    en: [
      `Hello, somebody is verifying this e-mail address at ${systemName}.`,
      'The verification code is: ',
      `It is valid for ${minutes} minutes. If it was not you, please ignore this mail.`,
    ],
  }[language];
  const [greeting = '', label = '', end = ''] = lines;
  return {
    language,
    subject: language === 'zh' ? `${systemName}邮箱验证邮件` : `${systemName}: verify your e-mail address`,
    text: [greeting, label + code, end].join('\n\n'),
    html: `<p>${escapeHtml(greeting)}</p><p>${label}<strong>${escapeHtml(code)}</strong></p><p>${end}</p>`,
  };
}

export function resetMail(language: Language, mail: ResetMail): MailText {
  const { systemName, link, minutes } = mail;
  if (link === undefined) return resetCodeMail(language, mail);
  const isChinese = language === 'zh';
  const greeting = isChinese ? `您好，你正在进行${systemName}密码重置。` : `Hello, somebody is resetting your password at ${systemName}.`;
  const anchor = (text: string) => `<a href='${escapeHtml(link)}'>${text}</a>`;
  const action = isChinese ? `点击 ${anchor('此处')} 进行密码重置。` : `To reset the password, open ${anchor('this page')}.`;
  const plainAction = isChinese ? '打开下面的地址重置密码：' : 'To reset the password, open this address:';
  const fallback = isChinese
    ? '如果链接无法点击，请尝试点击下面的链接或将其复制到浏览器中打开：'
    : 'If the link does not work, copy this address into your browser:';
  const end = isChinese
    ? `重置链接 ${minutes} 分钟内有效，如果不是本人操作，请忽略。`
    : `The link is valid for ${minutes} minutes. If it was not you, please ignore this mail.`;
  return {
    language,
    subject: isChinese ? `${systemName}密码重置` : `${systemName}: reset your password`,
    text: [greeting, plainAction, link, end].join('\n\n'),
    html: `<p>${escapeHtml(greeting)}</p><p>${action}</p><p>${fallback}<br> ${escapeHtml(link)} </p><p>${end}</p>`,
  };
}

function resetCodeMail(language: Language, { systemName, token, minutes }: ResetMail): MailText {
  const lines = {
    zh: [
      `您好，你正在进行${systemName}密码重置。`,
      '请回到申请重置密码的页面，选择“输入邮件中的重置码”，填入：',
      `重置码 ${minutes} 分钟内有效，如果不是本人操作，请忽略。`,
    ],
    en: [
      `Hello, somebody is resetting your password at ${systemName}.`,
      'Return to the page where you asked for this mail, choose “Enter the code of the mail” and enter:',
      `The code is valid for ${minutes} minutes. If it was not you, please ignore this mail.`,
    ],
  }[language];
  const [greeting = '', action = '', end = ''] = lines;
  return {
    language,
    subject: language === 'zh' ? `${systemName}密码重置` : `${systemName}: reset your password`,
    text: [greeting, action, token, end].join('\n\n'),
    html: `<p>${escapeHtml(greeting)}</p><p>${action}<br><strong>${escapeHtml(token)}</strong></p><p>${end}</p>`,
  };
}
