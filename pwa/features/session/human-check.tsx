// Turnstile's widget, which checks for a human and returns a token that counts once.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Turnstile {
  render(node: HTMLElement, options: Record<string, unknown>): string;
  remove(id: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

const address = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
let loading: Promise<void> | undefined;

function loadWidget(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.async = true;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      loading = undefined;
      script.remove();
      reject(new Error('Turnstile could not be loaded'));
    });
    document.head.append(script);
  });
  return loading;
}

interface HumanCheckProps {
  siteKey: string;
  /** Undefined while there is none, or once it is too old. */
  onToken: (token: string | undefined) => void;
}

/** Another `key` repeats the check: a token counts once. */
export function HumanCheck({ siteKey, onToken }: HumanCheckProps) {
  const { t, i18n } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let widget: string | undefined;
    let isGone = false;
    const show = async () => {
      await loadWidget();
      if (isGone || place.current === null || window.turnstile === undefined) return;
      widget = window.turnstile.render(place.current, {
        sitekey: siteKey,
        language: i18n.language,
        callback: (token: string) => onToken(token),
        'expired-callback': () => onToken(undefined),
        'error-callback': () => setFailed(true),
      });
    };
    show().catch(() => setFailed(true));
    return () => {
      isGone = true;
      if (widget !== undefined) window.turnstile?.remove(widget);
    };
  }, [siteKey, i18n.language, onToken]);
  return (
    <div>
      <div ref={place} />
      {hasFailed && <p role="alert">{t('signin.human.failed')}</p>}
    </div>
  );
}
