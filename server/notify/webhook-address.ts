// Which addresses webhooks of users may have: public ones over HTTPS, and what the super administrator has listed in `WebhookAllowedHosts`.
import { webhookUrlOf } from '#shared/webhook-url.ts';
import { isPublicHost } from '#server/egress/public-addresses.ts';
import type { Settings } from '#server/settings/settings.ts';

/** Returns the address of a webhook; undefined if none may have it. */
export function readWebhookUrl(settings: Pick<Settings, 'get'>, text: string): URL | undefined {
  const url = webhookUrlOf(text, true);
  if (url === undefined || isAllowedWebhook(settings, url)) return url;
  return url.protocol === 'https:' && isPublicHost(url.hostname) ? url : undefined;
}

/** True for a listed host: `name` on the scheme's own port, `name:port` on that one. It may be private and without TLS. */
export function isAllowedWebhook(settings: Pick<Settings, 'get'>, url: URL): boolean {
  return settings.get('WebhookAllowedHosts').includes(url.host.toLowerCase());
}
