import { useEffect } from 'react';
import { safePicture } from '#shared/links.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';

/** Names the page and gives its tab the site's icon. Returns what the site is called. */
export function useSiteIdentity(title: string): string {
  const status = useSiteStatus();
  const siteName = status?.system_name || 'Tidegate';
  const logo = safePicture(status?.logo ?? '');
  useEffect(() => {
    document.title = title === '' || title === siteName ? siteName : `${title} · ${siteName}`;
  }, [title, siteName]);
  useEffect(() => {
    if (logo === undefined) return;
    const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="icon"], link[rel="apple-touch-icon"]')];
    const own = links.map((link) => [link, link.getAttribute('href'), link.getAttribute('type')] as const);
    for (const link of links) {
      link.href = logo;
      link.removeAttribute('type');
    }
    return () => {
      for (const [link, href, type] of own) {
        link.setAttribute('href', href ?? '');
        if (type !== null) link.setAttribute('type', type);
      }
    };
  }, [logo]);
  return siteName;
}
