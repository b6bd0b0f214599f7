// Group `auto`: a call is served by the first of several groups that the caller may use and whose channels serve the model.
import { commaList } from '#shared/comma-list.ts';
import { autoGroup } from '#shared/group-settings.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { supportsCall } from '#server/call/routing/supports-call.ts';
import type { ChannelIndex } from '#server/exchange/channel-index.ts';
import type { Settings } from '#server/settings/settings.ts';
import { isAutoGroup, mayUseGroup } from '#server/settings/usable-groups.ts';

interface Services {
  channels: ChannelIndex;
  context: { settings: Settings };
}

/** Returns the groups of a caller in group `auto`, in their order; null for callers in any other group. */
export function autoGroupsOf(settings: Settings, { group, token, user }: Admission): readonly string[] | null {
  if (group !== autoGroup || !isAutoGroup(settings, group)) return null;
  const own = commaList(token?.auto_groups ?? '');
  const groups = own.length === 0 ? settings.get('AutoGroups') : own;
  return groups.filter((name) => name !== autoGroup && mayUseGroup(settings, user.group, name));
}

/**
 * Returns the admission in the group that serves the model, for a caller in group `auto`; others are returned as they
 * are. If no group serves it, as a private model, the first one counts.
 * @param endpoint if undefined, channels of any format count
 */
export function inServingGroup<Admitted extends Admission>(
  { channels, context: { settings } }: Services,
  admission: Admitted,
  { model, endpoint }: { model: string; endpoint?: RelayEndpoint },
): Admitted {
  if (admission.group !== autoGroup) return admission;
  const groups = autoGroupsOf(settings, admission)?.filter((name) => channels.tiers(name, model).length > 0);
  if (groups === undefined || groups.length === 0) return inFirstGroup(settings, admission);
  const takes = (name: string) =>
    endpoint === undefined || channels.tiers(name, model).some((tier) => tier.channels.some((one) => supportsCall(one, endpoint, model)));
  const at = Math.max(0, groups.findIndex(takes));
  const further = admission.token?.cross_group_retry === true ? groups.slice(at + 1).filter(takes) : [];
  return { ...admission, group: groups[at] ?? admission.group, ...(further.length === 0 ? {} : { furtherGroups: further }) };
}

/**
 * Same for what is stored at a provider: the first group that exists, whatever model is used, or else the user's own. The
 * group is never `auto`, which has no factor.
 */
export function inFirstGroup<Admitted extends Admission>(settings: Settings, admission: Admitted): Admitted {
  if (admission.group !== autoGroup) return admission;
  const groups = autoGroupsOf(settings, admission);
  return groups === null ? admission : { ...admission, group: groups[0] ?? admission.user.group };
}
