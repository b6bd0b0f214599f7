import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';

/** The sign-in over a screen whose session has ended, with its texts: seldom needed. */
export const SignInAgain = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./sign-in-again.tsx'), loadTexts('signin')]);
    return part;
  },
  (part) => part.SignInAgain,
);
