import { safeLink } from '#shared/links.ts';
import type { SiteStatus } from '#shared/site.ts';

/** Returns whether the wallet has a way to get credit, apart from contacting the operator. */
export function canTopUp(status: SiteStatus | undefined): boolean {
  return status !== undefined && (status.enable_online_topup || safeLink(status.top_up_link, 'web') !== undefined);
}
