// The frame of every mail: whose site writes, above what it writes.
import type { Language } from '#shared/errors.ts';
import { safeLink } from '#shared/links.ts';
import type { Settings } from '#server/settings/settings.ts';
import { siteAddress } from '#server/settings/site-address.ts';
import { storedLogo } from '#server/settings/site-logo.ts';
import { escapeHtml } from './notification-texts.ts';

export interface Letter {
  html: string;
  /** The uploaded logo travels in the mail: readers show no data URLs. */
  attachments: { filename: string; content: Buffer; contentType: string; cid: string }[];
}

const cid = 'logo@tidegate';
/** Readers of mail draw these; drawings as text they leave out. */
const shownTypes: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' };

/** @param content HTML of the mail's body */
export function letterOf(settings: Settings, content: string, language: Language | undefined): Letter {
  const stored = storedLogo(settings);
  const extension = stored === null ? undefined : shownTypes[stored.type];
  const attachments =
    stored === null || extension === undefined
      ? []
      : [{ filename: `logo.${extension}`, content: stored.bytes, contentType: stored.type, cid }];
  const src = stored === null ? addressOf(settings) : attachments.length > 0 ? `cid:${cid}` : undefined;
  const picture =
    src === undefined ? '' : `<img src="${escapeHtml(src)}" width="28" height="28" alt="" style="vertical-align:middle;margin-right:10px">`;
  return {
    html: [
      `<!doctype html><html${language === undefined ? '' : ` lang="${language}"`}><head><meta charset="utf-8"></head>`,
      '<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.6;color:#15211f">',
      `<p style="margin:0 0 20px;font-size:17px;font-weight:600">${picture}${escapeHtml(settings.get('SystemName'))}</p>`,
      content,
      '</body></html>',
    ].join(''),
    attachments,
  };
}

/** Of a logo elsewhere, as far as a reader of the mail can reach it. */
function addressOf(settings: Settings): string | undefined {
  const logo = settings.get('Logo');
  if (!logo.startsWith('/')) return safeLink(logo, 'web');
  const site = siteAddress(settings);
  return site === undefined ? undefined : `${site}${logo}`;
}
