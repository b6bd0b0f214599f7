import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { Role } from '#shared/roles.ts';
import type { Token } from '#shared/tokens.ts';
import type { User } from '#shared/user.ts';
import { selfQuery, useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { acceptsUnpriced } from '#pwa/api/accepts-unpriced.ts';
import { failingChannelsQuery } from '#pwa/api/disabled-channels.ts';
import { callableModels } from './guide-models.ts';
import { firstCallQuery, guideChannelsQuery, guidePricesQuery, guideTokensQuery } from './queries.ts';
import { limitOf, usableToken } from './usable-token.ts';
import { failingModels, workingChannel } from './what-works.ts';

export interface Guide {
  isAdmin: boolean;
  user: User;
  /** The channel that the guide is about; undefined: none is enabled, or the reader is no administrator. */
  channel: Channel | undefined;
  channelCount: number;
  token: Token | undefined;
  /** Models that a call can be made with, the proposed one first. */
  models: readonly string[];
  /** Of those, the ones that every channel fails with. */
  failing: ReadonlySet<string>;
  /** What a token of input costs with each, as a ratio. */
  prices: ReadonlyMap<string, number>;
  unpriced: readonly string[];
  hasCalled: boolean;
  /** Its token was chosen: a program is set up with it. */
  isForClients: boolean;
}

/** Where the set-up stands, from what there is; nothing of it is stored. */
export function useGuide(tokenId: number | undefined) {
  const stored = useStoredUser();
  const isAdmin = (stored?.role ?? 0) >= Role.admin;
  const self = useQuery(selfQuery);
  const channels = useQuery({ ...guideChannelsQuery, enabled: isAdmin });
  const failures = useQuery({ ...failingChannelsQuery, enabled: isAdmin });
  // As it was when the guide was opened: what it proposes does not change below the reader's hands.
  const [failing, setFailing] = useState<ReadonlySet<number>>();
  const isLoading = isAdmin && failures.fetchStatus === 'fetching';
  if (failing === undefined && !isLoading) setFailing(new Set(failures.data?.map(({ id }) => id)));
  const tokens = useQuery(guideTokensQuery);
  const prices = useQuery(guidePricesQuery);
  const isForClients = tokens.data !== undefined && usableToken(tokens.data, Date.now() / 1000, { chosen: tokenId })?.id === tokenId;
  const state = useQuery({ ...firstCallQuery(isForClients ? tokenId : undefined), enabled: tokens.data !== undefined });
  // On a site that has been used the guide is about what worked.
  const answered = state.data?.call?.is_answered === true ? state.data.call : undefined;
  const token =
    tokens.data === undefined ? undefined : usableToken(tokens.data, Date.now() / 1000, { chosen: tokenId, called: answered?.token_name });
  const isSelfUse = useSiteStatus()?.self_use_mode_enabled === true;
  const all = [self, ...(isAdmin ? [channels] : []), tokens, prices];
  const failed = all.find((query) => query.data === undefined && query.error !== null);

  const isAway = all.some((query) => query.data === undefined && query.fetchStatus === 'paused');

  function guide(): Guide | undefined {
    const { data: user } = self;
    if (user === undefined || tokens.data === undefined || prices.data === undefined) return undefined;
    if (failing === undefined || (isAdmin && channels.data === undefined)) return undefined;
    const known = channels.data ?? [];
    const enabled = known.filter((channel) => channel.status === ChannelStatus.enabled);
    const failingOnes = failingModels(known, failing);
    const { names, unpriced } = callableModels(prices.data, {
      group: token?.group || user.group,
      allowsUnpriced: isSelfUse || acceptsUnpriced(user),
      ofChannels: enabled.flatMap((channel) => [...(channel.test_model === '' ? [] : [channel.test_model]), ...commaList(channel.models)]),
    });
    const limit = token === undefined ? null : limitOf(token);
    const models = limit === null ? names : names.filter((name) => limit.has(name));
    return {
      isAdmin,
      user,
      channel: workingChannel(known, { failing, answered: answered?.channel?.id }),
      channelCount: known.length,
      token,
      models: [...models.filter((name) => !failingOnes.has(name)), ...models.filter((name) => failingOnes.has(name))],
      failing: failingOnes,
      prices: new Map(prices.data.map((entry) => [entry.model_name, entry.model_ratio])),
      unpriced,
      hasCalled: user.used_quota > 0 || state.data?.call?.is_answered === true,
      isForClients,
    };
  }
  return { guide: guide(), state: state.data, failed, isAway, retry: () => void Promise.all(all.map((query) => query.refetch())) };
}
