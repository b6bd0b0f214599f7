// Security headers of the console's pages.
import type { AppContext } from '#server/context.ts';

const human = 'https://challenges.cloudflare.com';
const telegram = 'https://telegram.org';

/**
 * Headers of every page and asset. Scripts come from this origin, plus hashed inline ones (`inline`) and the enabled
 * sign-in widgets; inline styles are allowed (the component library sets variables with them); images and frames may be
 * external, for logos, chat pages and the about page, which the console shows only in sandboxed frames.
 * @param isDecision whether the page grants access to others: no page may frame it, and no request from it has a referrer
 */
export function consoleHeaders(
  context: Pick<AppContext, 'settings'>,
  inline: readonly string[] = [],
  isDecision = false,
): Record<string, string> {
  const { settings } = context;
  const scripts = ["'self'", ...inline];
  if (settings.get('TurnstileCheckEnabled')) scripts.push(human);
  if (settings.get('TelegramOAuthEnabled')) scripts.push(telegram);
  const policy = {
    'default-src': ["'self'"],
    'script-src': scripts,
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:', 'https:', 'http:'],
    'media-src': ["'self'", 'data:', 'blob:', 'https:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'frame-src': ["'self'", 'https:', 'http:'],
    'worker-src': ["'self'"],
    'manifest-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'self'"],
    // The payment form is submitted to the payment provider.
    'form-action': ["'self'", 'https:', 'http:'],
    'frame-ancestors': [isDecision ? "'none'" : "'self'"],
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': isDecision ? 'no-referrer' : 'strict-origin-when-cross-origin',
    ...(isDecision ? { 'x-frame-options': 'DENY' } : {}),
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), geolocation=(), payment=()',
  };
}
