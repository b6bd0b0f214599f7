// A notice as a mail: its content, and where notices are changed.
import type { Language } from '#shared/errors.ts';
import type { MailMessage } from '#server/notify/mail.ts';
import { escapeHtml } from '#server/notify/notification-texts.ts';
import type { Settings } from '#server/settings/settings.ts';
import { siteAddress } from '#server/settings/site-address.ts';

const footers: Record<Language, (site: string, link?: string) => string> = {
  zh: (site, link) => `这封邮件由 ${site} 自动发出。通知设置：${link ?? '控制台的个人设置页'}`,
  en: (site, link) => `Sent by ${site}. Your notices: ${link ?? 'in the console, under Personal'}`,
};

export function composeMail(settings: Settings, { to, subject, html, text, language }: MailMessage & { language: Language }): MailMessage {
  const site = settings.get('SystemName');
  const address = siteAddress(settings);
  const link = address === undefined ? undefined : `${address}/personal`;
  const footer = footers[language];
  const linked = link === undefined ? undefined : `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`;
  return {
    to,
    subject,
    text: `${text}\n\n-- \n${footer(site, link)}\n`,
    html: `<p>${html}</p><p style="margin-top:24px;font-size:13px;color:#5a6664">${footer(escapeHtml(site), linked)}</p>`,
    language,
  };
}
