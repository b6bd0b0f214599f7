// What can be done with a record that was found, without leaving where one is. Undo as on the record's own screen.
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Channel, channelApi, ChannelStatus } from '#shared/channels.ts';
import { mayActOn, Role } from '#shared/roles.ts';
import { type Token, tokenApi, TokenStatus } from '#shared/tokens.ts';
import { type User, UserStatus } from '#shared/user.ts';
import { userApi } from '#shared/users.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useUndo } from '#pwa/api/use-undo.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { IconName } from '#pwa/ui/controls/icon.tsx';
import { toastFailure, toastNote, toastSuccess } from '#pwa/ui/frame/toast.ts';
import type { PaletteItem } from './palette-item.ts';

/** Milliseconds: longer than the server gives a provider. */
const patience = 65_000;

interface Subject {
  /** `channel:9` */
  key: string;
  name: string;
}

/** Of each kind those that the account may do, in the state that the record is in. */
export function useRecordActions() {
  const { t } = useTranslation();
  const self = useStoredUser();
  const role = self?.role ?? Role.guest;
  const perform = usePerform();
  const item = ({ key, name }: Subject, action: string, icon: IconName, rest: Pick<PaletteItem, 'href' | 'act'>): PaletteItem => ({
    key: `do:${key}:${action}`,
    group: 'record',
    icon,
    name: t(`palette.record.${action}`, { name }),
    ...rest,
  });
  const calls = (subject: Subject, kind: string, filter: Record<string, string>): PaletteItem =>
    item(subject, `calls_${kind}`, 'list', { href: `/log?${new URLSearchParams(filter).toString()}` });

  function channelActions(channel: Channel): PaletteItem[] {
    const subject = { key: `channel:${channel.id}`, name: channel.name };
    const isEnabled = channel.status === ChannelStatus.enabled;
    return [
      item(subject, 'test', 'pulse', { act: () => perform.testChannel(channel) }),
      isEnabled
        ? item(subject, 'disable', 'unlinked', { act: () => perform.setChannel(channel, ChannelStatus.disabledByHand) })
        : item(subject, 'enable', 'check', { act: () => perform.setChannel(channel, ChannelStatus.enabled) }),
      calls(subject, 'through', { channel: String(channel.id) }),
    ];
  }
  function tokenActions(token: Token): PaletteItem[] {
    const subject = { key: `token:${token.id}`, name: token.name };
    const ofSelf: Record<string, string> = role >= Role.admin ? { user: self?.username ?? '' } : {};
    return [
      ...(token.status === TokenStatus.enabled
        ? [item(subject, 'disable', 'unlinked', { act: () => perform.setToken(token, TokenStatus.disabled) })]
        : []),
      ...(token.status === TokenStatus.disabled
        ? [item(subject, 'enable', 'check', { act: () => perform.setToken(token, TokenStatus.enabled) })]
        : []),
      calls(subject, 'with', { token: token.name, ...ofSelf }),
    ];
  }
  function userActions(user: User): PaletteItem[] {
    const subject = { key: `user:${user.id}`, name: user.username };
    // A ban signs the user out at once: the user's screen requires a confirmation.
    const isOpen = user.DeletedAt === null && user.role < Role.root && mayActOn(role, user.role);
    return [
      ...(isOpen && user.status === UserStatus.banned ? [item(subject, 'unban', 'check', { act: () => perform.unban(user) })] : []),
      calls(subject, 'of', { user: user.username }),
    ];
  }
  return { channelActions, tokenActions, userActions };
}

/** Actions continue after the palette has closed; a message reports their outcome. */
function usePerform() {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const offerUndo = useUndo();
  const after = (...keys: string[]) => Promise.all(['palette', ...keys].map((key) => client.invalidateQueries({ queryKey: [key] })));

  function told(done: Promise<unknown>): void {
    done.catch((error: unknown) => toastFailure(failureOf(error)));
  }
  /** Disabling can be undone as long as the record has not changed since. */
  function setStatus(
    { status, enabled }: { status: number; enabled: number },
    set: (to: number, revision?: number) => Promise<{ name: string; revision: number }>,
  ): void {
    told(
      set(status).then(({ name, revision }) => {
        if (status === enabled) toastSuccess(t('palette.told.enabled', { name }));
        else offerUndo(t('palette.told.disabled', { name }), () => set(enabled, revision).then(() => true));
      }),
    );
  }
  return {
    testChannel: ({ id, name }: Channel): void => {
      toastNote(t('palette.told.testing', { name }));
      const asked = callWithExtra(channelApi.test, { params: { id: String(id) }, query: {}, timeout: patience });
      told(
        asked
          .then(({ extra }) => toastSuccess(t('palette.told.passed', { name, time: format.duration(extra.time * 1000) })))
          .finally(() => after('channels', 'channel')),
      );
    },
    setChannel: ({ id }: Channel, status: number): void =>
      setStatus({ status, enabled: ChannelStatus.enabled }, (to, revision) =>
        call(channelApi.edit, { body: { id, status: to, revision } }).finally(() => after('channels', 'channel')),
      ),
    setToken: ({ id }: Token, status: number): void =>
      setStatus({ status, enabled: TokenStatus.enabled }, (to, revision) =>
        call(tokenApi.edit, { query: { status_only: 'true' }, body: { id, status: to, revision } }).finally(() => after('tokens')),
      ),
    unban: ({ id }: User): void => {
      const asked = call(userApi.manage, { body: { id, action: 'enable' } }).finally(() => after('users', 'user'));
      told(asked.then(({ username }) => toastSuccess(t('palette.told.unbanned', { name: username }))));
    },
  };
}
