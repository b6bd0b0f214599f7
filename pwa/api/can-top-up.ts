import { safeLink } from '#shared/links.ts';
import type { SiteStatus } from '#shared/site.ts';

/** Whether the wallet has a way to get credit, besides asking somebody for it. */
export function canTopUp(status: SiteStatus | undefined): boolean {
  return status !== undefined && (status.enable_online_topup || safeLink(status.top_up_link, 'web') !== undefined);
}
