// Finds records by name or number, and calls by their request id. Queries the server while the user types; results are not stored.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Channel, channelApi, ChannelStatus } from '#shared/channels.ts';
import { type Log, logApi } from '#shared/logs.ts';
import { Role } from '#shared/roles.ts';
import { type Token, tokenApi, TokenStatus } from '#shared/tokens.ts';
import { type User, UserStatus } from '#shared/user.ts';
import { userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Status } from '#pwa/ui/controls/status-mark.tsx';
import type { PaletteItem, Typed } from './palette-item.ts';
import { useRecordActions } from './use-record-actions.ts';

/** Rows of a kind. */
const most = 5;
/** What may be the id of a request, whole or its beginning: a word that is long and has digits. */
const requestId = /^(?=.*\d)[\w-]{12,64}$/;

interface Found {
  tokens: Token[];
  channels: Channel[];
  users: User[];
  logs: Log[];
}

export interface RecordSearch {
  items: PaletteItem[];
  /** False: the items are those of an earlier search. */
  isAnswered: boolean;
  isAsking: boolean;
  failure: string | undefined;
}

/** Sends no query for less than two characters, or for actions. */
export function useRecordSearch(typed: Typed, isOnline: boolean): RecordSearch {
  const user = useStoredUser();
  const toItems = useItems();
  const isAsked = user !== null && isOnline && (typed.kind === 'id' || (typed.kind === 'any' && typed.text.length >= 2));
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    ...foundQuery(typed, (user?.role ?? 0) >= Role.admin),
    enabled: isAsked,
  });
  return {
    items: isAsked && data !== undefined ? toItems(data) : [],
    isAnswered: !isPlaceholderData,
    isAsking: isAsked && isFetching,
    failure: isAsked && error !== null ? failureOf(error).message : undefined,
  };
}

const foundQuery = (typed: Typed, isAdmin: boolean) =>
  queryOptions({
    queryKey: ['palette', typed, isAdmin],
    queryFn: ({ signal }) => (typed.kind === 'id' ? findById(typed.text, isAdmin, signal) : findByText(typed.text, isAdmin, signal)),
    gcTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });

async function findByText(text: string, isAdmin: boolean, signal: AbortSignal): Promise<Found> {
  const isKey = text.startsWith('sk-');
  const page = { p: 1, page_size: most };
  const [tokens, channels, users, logs] = await Promise.all([
    call(tokenApi.search, { query: isKey ? { token: text } : { keyword: text }, signal }),
    isAdmin && !isKey ? call(channelApi.search, { query: { keyword: text }, signal }) : [],
    isAdmin && !isKey ? call(userApi.search, { query: { ...page, keyword: text }, signal }).then(({ items }) => items) : [],
    requestId.test(text) && !isKey
      ? call(isAdmin ? logApi.list : logApi.listSelf, {
          query: { ...page, request_id: text, without_total: true },
          signal,
        }).then(({ items }) => items)
      : [],
  ]);
  return { tokens: tokens.slice(0, most), channels: channels.slice(0, most), users, logs };
}

/** Of each kind the one with that number, where there is one. */
async function findById(id: string, isAdmin: boolean, signal: AbortSignal): Promise<Found> {
  const given = { params: { id }, signal };
  const [tokens, channels, users, logs] = await Promise.all([
    oneOrNone(call(tokenApi.read, given)),
    isAdmin ? oneOrNone(call(channelApi.read, given)) : [],
    isAdmin ? oneOrNone(call(userApi.read, given)) : [],
    oneOrNone(call(isAdmin ? logApi.read : logApi.readSelf, given)),
  ]);
  return { tokens, channels, users, logs };
}

/** Maps "not found" to an empty list; other failures are thrown. */
async function oneOrNone<T>(asked: Promise<T>): Promise<T[]> {
  try {
    return [await asked];
  } catch (error) {
    const { isUnreachable, code } = failureOf(error);
    if (isUnreachable || code === 'cancelled') throw error;
    return [];
  }
}

function useItems(): (found: Found) => PaletteItem[] {
  const { t } = useTranslation();
  const format = useFormat();
  const { channelActions, tokenActions, userActions } = useRecordActions();
  const state = (status: Status, name: string) => ({ status, word: t(`palette.state.${name}`) });
  return ({ tokens, channels, users, logs }) => [
    ...tokens.map((token): PaletteItem => {
      const mark = tokenMarks.get(token.status);
      return {
        key: `token:${token.id}`,
        group: 'tokens',
        icon: 'key',
        name: token.name,
        detail: `#${token.id}`,
        ...(mark === undefined ? {} : { state: state(...mark) }),
        href: `/token?${new URLSearchParams({ keyword: token.name, open: String(token.id) }).toString()}`,
        actions: tokenActions(token),
      };
    }),
    ...channels.map((channel): PaletteItem => ({
      key: `channel:${channel.id}`,
      group: 'channels',
      icon: 'channels',
      name: channel.name,
      detail: channel.tag ? `#${channel.id} · ${channel.tag}` : `#${channel.id}`,
      state: state(...(channelMarks.get(channel.status) ?? stopped)),
      href: `/channel/edit/${channel.id}`,
      actions: channelActions(channel),
    })),
    ...users.map((user): PaletteItem => ({
      key: `user:${user.id}`,
      group: 'users',
      icon: 'user',
      name: user.username,
      detail: [`#${user.id}`, user.display_name, user.email].filter((part) => part !== '' && part !== user.username).join(' · '),
      ...(user.DeletedAt !== null
        ? { state: state('note', 'deleted') }
        : user.status === UserStatus.active
          ? { amount: format.quota(user.quota) }
          : { state: state('off', 'banned') }),
      href: `/user/edit/${user.id}`,
      actions: userActions(user),
    })),
    ...logs.map((log): PaletteItem => ({
      key: `log:${log.id}`,
      group: 'logs',
      icon: 'list',
      name: log.model_name === '' ? t('palette.log') : log.model_name,
      detail: [`#${log.id}`, log.username, format.dateTime(log.created_at)].filter((part) => part !== '').join(' · '),
      amount: format.quota(log.quota),
      href:
        log.request_id === ''
          ? `/log?open=${log.id}`
          : `/log?${new URLSearchParams({ request: log.request_id, open: String(log.id) }).toString()}`,
    })),
  ];
}

const tokenMarks: ReadonlyMap<number, [Status, string]> = new Map([
  [TokenStatus.enabled, ['on', 'enabled']],
  [TokenStatus.disabled, ['off', 'disabled']],
  [TokenStatus.expired, ['expired', 'expired']],
  [TokenStatus.exhausted, ['empty', 'exhausted']],
]);
const stopped: [Status, string] = ['off', 'disabled'];
const channelMarks: ReadonlyMap<number, [Status, string]> = new Map([
  [ChannelStatus.enabled, ['on', 'enabled']],
  [ChannelStatus.disabledBySystem, ['auto', 'disabled_auto']],
]);
