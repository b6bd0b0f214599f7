import { useCallback, useEffect, useRef } from 'react';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { useShownScheme } from './color-scheme.ts';
import styles from './foreign-page.module.css';

interface ForeignPageProps {
  /** Of `http` or `https`, as `safeLink` lets it pass. */
  address: string;
  title: string;
  /** Permissions policy of the frame. */
  allow?: string;
}

/** The page receives the console's appearance in the form that pages of this family of consoles expect: `{themeMode}`, then `{lang}`. */
export function ForeignPage({ address, title, allow }: ForeignPageProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const themeMode = useShownScheme();
  const { origin } = new URL(address);
  const postAppearance = useCallback(() => {
    // A page with an opaque origin can be addressed by `*` only; the message holds no secret.
    const target = origin === location.origin ? '*' : origin;
    frame.current?.contentWindow?.postMessage({ themeMode }, target);
    frame.current?.contentWindow?.postMessage({ lang: currentLanguage() }, target);
  }, [origin, themeMode]);
  useEffect(postAppearance, [postAppearance]);
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      src={address}
      title={title}
      onLoad={postAppearance}
      allow={allow}
      referrerPolicy="no-referrer"
      // A page of this very site would reach the console with its own origin.
      sandbox={`allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox${origin === location.origin ? '' : ' allow-same-origin'}`}
    />
  );
}
