// The chat applications that the administrators have set: a name, and an address with places for a key and this site's address.
import type { SiteStatus } from '#shared/site.ts';
import { withoutTrailing } from '#shared/trailing.ts';

export interface ChatLink {
  name: string;
  template: string;
}

export function chatLinks(status: Pick<SiteStatus, 'chats'> | undefined): ChatLink[] {
  return (status?.chats ?? []).flatMap((chat) => Object.entries(chat).map(([name, template]) => ({ name, template })));
}

/** What `/chat2link` opens: the site's own chat page, as clients of this family of consoles expect it. Empty: there is none. */
export function ownChatTemplate(status: Pick<SiteStatus, 'chat_link'> | undefined): string {
  const link = withoutTrailing(status?.chat_link ?? '', '/');
  return link === '' ? '' : `${link}/#/?settings={"key":"{key}","url":"{address}"}`;
}
