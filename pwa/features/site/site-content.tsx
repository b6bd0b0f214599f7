import { useCallback, useEffect, useRef } from 'react';
import { safeLink } from '#shared/links.ts';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { useShownScheme } from '#pwa/ui/frame/color-scheme.ts';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';
import styles from './site-content.module.css';

/** What an administrator has set: the address of a page, which is shown in a frame, or Markdown and HTML. */
export function SiteContent({ content, title }: { content: string; title: string }) {
  const address = /^\s*https:\/\/\S+\s*$/.test(content) ? safeLink(content, 'web') : undefined;
  return address === undefined ? <RichText text={content} hasHtml lines={8} /> : <ForeignPage address={address} title={title} />;
}

/** The page is told how the console looks, as pages made for this family of consoles expect: `{themeMode}`, then `{lang}`. */
function ForeignPage({ address, title }: { address: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const themeMode = useShownScheme();
  const { origin } = new URL(address);
  const tell = useCallback(() => {
    // A page without an origin of its own can only be told by `*`; what it is told is no secret.
    const target = origin === location.origin ? '*' : origin;
    frame.current?.contentWindow?.postMessage({ themeMode }, target);
    frame.current?.contentWindow?.postMessage({ lang: currentLanguage() }, target);
  }, [origin, themeMode]);
  useEffect(tell, [tell]);
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      src={address}
      title={title}
      onLoad={tell}
      referrerPolicy="no-referrer"
      // A page of this very site would reach the console with its own origin.
      sandbox={`allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox${origin === location.origin ? '' : ' allow-same-origin'}`}
    />
  );
}
