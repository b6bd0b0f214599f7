import { safeLink } from '#shared/links.ts';
import { ForeignPage } from '#pwa/ui/frame/foreign-page.tsx';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';

/** What an administrator has set: the address of a page, which is shown in a frame, or Markdown and HTML. */
export function SiteContent({ content, title }: { content: string; title: string }) {
  const address = /^\s*https:\/\/\S+\s*$/.test(content) ? safeLink(content, 'web') : undefined;
  return address === undefined ? <RichText text={content} hasHtml lines={8} /> : <ForeignPage address={address} title={title} />;
}
