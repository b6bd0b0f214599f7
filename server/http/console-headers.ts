// What a browser may do on the console's pages.
import type { AppContext } from '#server/context.ts';

const human = 'https://challenges.cloudflare.com';
const telegram = 'https://telegram.org';

/**
 * The headers of every page and asset. Scripts come from here alone, and the one of the first paint by its hash (`inline`), except for the sign-in widgets that are switched on;
 * styles may be inline (the component library sets its variables so); pictures and frames may be foreign, for logos, chat
 * pages and the about page, which the console shows in sandboxed frames only.
 */
export function consoleHeaders(context: Pick<AppContext, 'settings'>, inline: readonly string[] = []): Record<string, string> {
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
    // The payment form goes to the payment provider's page.
    'form-action': ["'self'", 'https:', 'http:'],
    'frame-ancestors': ["'self'"],
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), geolocation=(), payment=()',
  };
}
