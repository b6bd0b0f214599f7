import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Channel, channelApi } from '#shared/channels.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf, newerRecord } from '#pwa/api/failure.ts';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { changedFields, type ChannelValues, editBody, fieldsOf, valuesOf } from './channel-values.ts';
import { channelQuery } from './queries.ts';
import type { EditedChannel } from './use-channel-form.ts';

/** Creates the channel of a form, or saves what the form changed of it. What the server refuses stands at its field. */
export function useSaveChannel({ form, base, setBase, setTheirs, follow }: EditedChannel, onCreated: (ids: number[]) => void) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isCreated, setCreated] = useState(false);

  const create = useMutation({
    mutationFn: () => call(channelApi.create, { body: fieldsOf(form.getValues()) }),
    meta: { quiet: true },
    onSuccess: async (ids) => {
      // The guard has to know before the panel closes.
      flushSync(() => setCreated(true));
      onCreated(ids);
      toastSuccess(t('channels.created', { count: ids.length }));
      await queryClient.invalidateQueries({ queryKey: ['channels'] });
    },
    onError: showRefusal,
  });
  const edit = useMutation({
    mutationFn: ({ from, sent, revision }: { from: Channel; sent: ChannelValues; revision: number }) =>
      call(channelApi.edit, { body: editBody(from, sent, revision) }),
    meta: { quiet: true },
    onSuccess: async (saved, { sent }) => {
      follow(sent, saved);
      queryClient.setQueryData(channelQuery(saved.id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: ['channels'] });
    },
    onError: (error, { from, sent }) => {
      const current = newerRecord(error, Channel);
      if (current === undefined) showRefusal(error);
      // Its state or figures moved, nothing that this form holds: the edit still means the same.
      else if (changedFields(valuesOf(from), valuesOf(current)).length === 0) {
        setBase(current);
        edit.mutate({ from, sent, revision: current.revision });
      } else setTheirs(current);
    },
  });

  function showRefusal(error: unknown): void {
    const failure = failureOf(error);
    const field = failure.field === 'group' ? 'groups' : failure.field;
    if (!showOnField(form, { message: failure.message, field })) toastFailure(failure);
  }
  return {
    isCreated,
    isPending: create.isPending || edit.isPending,
    create: () => create.mutate(),
    /** @param newest what others saved meanwhile: the form's changes are written over it */
    edit: (newest = base) => {
      if (base !== undefined && newest !== undefined) edit.mutate({ from: base, sent: form.getValues(), revision: newest.revision });
    },
  };
}
