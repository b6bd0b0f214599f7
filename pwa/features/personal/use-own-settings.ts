import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ownAccountApi } from '#shared/own-account.ts';
import type { UserSettingEdit } from '#shared/own-account.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { type CallFailure, failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { type OwnSettingKey, type OwnSettings, ownSettingBody, ownSettingKeys, ownSettingState } from '#pwa/offline/edits/own-setting.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { queueEdit, type QueuedEdit, useOutbox } from '#pwa/offline/outbox.ts';
import { toastFailure, toastNote, toastSuccess } from '#pwa/ui/frame/toast.ts';

/** What goes along and is never kept on the device. */
export type Credential = Pick<UserSettingEdit, 'webhook_secret' | 'remove_webhook_secret'>;

interface OwnSettingsEditor {
  /** What the forms show: what waits, else what is stored. */
  shown: (key: OwnSettingKey) => string;
  /** Those of these keys that wait to be sent. */
  waiting: (keys: readonly OwnSettingKey[]) => QueuedEdit[];
  /** Without a connection they wait in the outbox. */
  save: (changes: OwnSettings, credential?: Credential) => void;
  isSaving: boolean;
}

/** Saves own settings. `onRefused` shows what the server says of a field; false: it cannot. `onDone`: sent, or kept. */
export function useOwnSettings(
  user: User,
  { onDone, onRefused }: { onDone: () => void; onRefused: (failure: CallFailure) => boolean },
): OwnSettingsEditor {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOnline = useIsOnline();
  const outbox = useOutbox();
  const waiting = (keys: readonly OwnSettingKey[]) => outbox.filter(({ optionKey }) => keys.some((key) => key === optionKey));
  const saving = useMutation({
    mutationFn: ({ changes, credential }: { changes: OwnSettings; credential: Credential }) =>
      call(ownAccountApi.saveSetting, { body: { ...ownSettingBody(changes), ...credential, revision: user.revision } }),
    meta: { quiet: true },
    onSuccess: (saved) => {
      queryClient.setQueryData(selfQuery.queryKey, saved);
      onDone();
      toastSuccess(t('personal.mark.saved'));
    },
    onError: async (thrown, { changes, credential }) => {
      const failure = failureOf(thrown);
      const isSecret = Object.keys(credential).length > 0;
      // What contradicts it is told apart, and kept apart, in the outbox.
      if (!isSecret && (failure.isUnreachable || failure.code === 'revision_conflict')) await keep(changes);
      else if (!onRefused(failure)) toastFailure(failure);
      if (failure.code === 'revision_conflict') await queryClient.invalidateQueries(selfQuery);
    },
  });

  async function keep(changes: OwnSettings): Promise<void> {
    for (const key of ownSettingKeys) {
      const mine = changes[key];
      if (mine !== undefined) await queueEdit({ optionKey: key, base: ownSettingState(user, key), mine });
    }
    onDone();
    if (!isOnline) toastNote(t('personal.kept'));
  }

  return {
    shown: (key) => waiting([key])[0]?.mine ?? ownSettingState(user, key).value,
    waiting,
    save(changes, credential = {}) {
      const isCredential = Object.keys(credential).length > 0;
      if (Object.keys(changes).length === 0 && !isCredential) toastNote(t('personal.nothing'));
      // Two ways to the server would overtake each other.
      else if (!isCredential && (!isOnline || waiting(ownSettingKeys).length > 0)) void keep(changes);
      else saving.mutate({ changes, credential });
    },
    isSaving: saving.isPending,
  };
}
