import { type ReactNode, useState } from 'react';
import type { SiteStatus } from '#shared/site.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';

// Seldom on, and with a text of its own.
const HumanCheck = lazyPart(
  async () => {
    await loadTexts('signin');
    return import('./human-check.tsx');
  },
  (part) => part.HumanCheck,
);

interface HumanCheckState {
  /** For the query of a call. */
  token: string | undefined;
  /** Whether the check is on and not yet passed. */
  isWaiting: boolean;
  /** After every call: a token counts once. What was shown holds for a while without one. */
  renew: () => void;
  widget: ReactNode;
}

/** Human check of a form, if the site requires one. */
export function useHumanCheck(status: SiteStatus | undefined): HumanCheckState {
  const [token, setToken] = useState<string>();
  const [round, setRound] = useState(0);
  const isOn = status?.turnstile_check === true;
  return {
    token,
    isWaiting: isOn && token === undefined,
    renew: () => {
      if (!isOn) return;
      setToken(undefined);
      setRound(round + 1);
    },
    widget: isOn ? <HumanCheck key={round} siteKey={status.turnstile_site_key} onToken={setToken} /> : null,
  };
}
