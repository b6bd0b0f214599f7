import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { accountApi } from '#shared/account.ts';
import { accountActionsApi, type UserSettingEdit } from '#shared/account-actions.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { type CallFailure, failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import {
  ownNameKey,
  ownNameState,
  type OwnSettings,
  ownSettingBody,
  ownSettingKeys,
  ownSettingState,
} from '#pwa/offline/edits/own-setting.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { queueEdit } from '#pwa/offline/outbox.ts';
import { toastFailure, toastNote, toastSuccess } from '#pwa/ui/frame/toast.ts';
import type { OwnKey } from './own-problems.ts';

export interface OwnEdits {
  settings: OwnSettings;
  /** Sent along, and never stored on the device. */
  credential: Pick<UserSettingEdit, 'webhook_secret' | 'remove_webhook_secret'>;
  name: string | undefined;
}

export const noEdits: OwnEdits = { settings: {}, credential: {}, name: undefined };

interface Sending {
  user: User;
  /** Two ways to the server would overtake each other: what joins those that wait, waits. */
  isWaiting: (keys: readonly OwnKey[]) => boolean;
  /** Sent, or stored to be sent. */
  onDone: (edits: OwnEdits) => void;
  /** False: no field shows it. */
  onRefused: (failure: CallFailure) => boolean;
}

type Outcome = 'sent' | 'kept' | 'refused';

/** Sends settings and name, which are two calls: one of them may be refused, and what it carried stays in the form. */
export function useSendEdits({ user, isWaiting, onDone, onRefused }: Sending) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOnline = useIsOnline();

  async function sendSettings(edits: OwnEdits): Promise<Outcome> {
    const { settings, credential } = edits;
    const hasCredential = Object.keys(credential).length > 0;
    const queueAll = async (): Promise<Outcome> => {
      for (const key of ownSettingKeys) {
        const mine = settings[key];
        if (mine !== undefined) await queueEdit({ optionKey: key, base: ownSettingState(user, key), mine });
      }
      onDone(edits);
      return 'kept';
    };
    if (!hasCredential && isWaiting(ownSettingKeys)) return queueAll();
    try {
      const body = { ...ownSettingBody(settings), ...credential, revision: user.revision };
      queryClient.setQueryData(selfQuery.queryKey, await call(accountActionsApi.saveSetting, { body }));
      onDone(edits);
      return 'sent';
    } catch (thrown) {
      const failure = failureOf(thrown);
      if (failure.code === 'revision_conflict') void queryClient.invalidateQueries(selfQuery);
      // The outbox shows the conflict and requests a decision.
      if (!hasCredential && (failure.isUnreachable || failure.code === 'revision_conflict')) return queueAll();
      return refuse(failure, t('personal.refused.settings', { problem: failure.message }));
    }
  }
  async function sendName(edits: OwnEdits, name: string): Promise<Outcome> {
    const queueAll = async (): Promise<Outcome> => {
      await queueEdit({ optionKey: ownNameKey, base: ownNameState(user), mine: name });
      onDone(edits);
      return 'kept';
    };
    if (isWaiting([ownNameKey])) return queueAll();
    try {
      await call(accountApi.edit, { body: { display_name: name } });
      queryClient.setQueryData(selfQuery.queryKey, (self) => self && { ...self, display_name: name });
      onDone(edits);
      void queryClient.invalidateQueries(selfQuery);
      return 'sent';
    } catch (thrown) {
      const failure = failureOf(thrown);
      return failure.isUnreachable ? queueAll() : refuse(failure, t('personal.refused.name', { problem: failure.message }));
    }
  }
  function refuse(failure: CallFailure, message: string): Outcome {
    if (!onRefused(failure)) toastFailure({ code: failure.code, message });
    return 'refused';
  }
  return useMutation({
    mutationFn: async ({ settings, credential, name }: OwnEdits) => {
      const outcomes: Outcome[] = [];
      if (Object.keys(settings).length + Object.keys(credential).length > 0)
        outcomes.push(await sendSettings({ ...noEdits, settings, credential }));
      if (name !== undefined) outcomes.push(await sendName({ ...noEdits, name }, name));
      if (outcomes.every((outcome) => outcome === 'sent')) toastSuccess(t('personal.saved'));
      else if (outcomes.includes('kept') && !isOnline) toastNote(t('personal.kept'));
    },
    meta: { quiet: true },
  });
}
