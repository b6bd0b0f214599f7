import { useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { Option, optionApi } from '#shared/options.ts';
import { isSettingKey } from '#shared/settings.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { operatorTodoKey } from '#pwa/api/operator-todo-key.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { statusQuery } from '#pwa/api/site-status.ts';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { batchBody, type Drafts } from './option-drafts.ts';

interface OptionSave {
  /** Reason, for the history; empty: none. */
  note: string;
  onSaved: (sent: Drafts, saved: readonly Option[]) => void;
  /** The server cannot be reached. */
  onUnreachable: (sent: Drafts) => Promise<void>;
}

/** Sends drafts in one call: all of them are saved, or none. */
export function useOptionSave({ note, onSaved, onUnreachable }: OptionSave) {
  const queryClient = useQueryClient();
  function remember(newer: readonly Option[]): void {
    const byKey = new Map(newer.map((option) => [option.key, option]));
    queryClient.setQueryData(optionsQuery.queryKey, (old) => old?.map((option) => byKey.get(option.key) ?? option));
  }
  return useMutation({
    mutationFn: (sent: Drafts) =>
      call(optionApi.saveMany, { body: { ...batchBody(sent), ...(note.trim() === '' ? {} : { note: note.trim() }) } }),
    meta: { quiet: true },
    onSuccess: async (saved, sent) => {
      remember(saved);
      onSaved(sent, saved);
      await Promise.all([
        queryClient.invalidateQueries(optionsQuery),
        queryClient.invalidateQueries({ queryKey: statusQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: operatorTodoKey }),
      ]);
    },
    onError: async (error, sent) => {
      const failure = failureOf(error);
      const current = failure.code === 'revision_conflict' ? z.array(Option).safeParse(failure.data) : undefined;
      // The newer values make the conflicts appear at their fields.
      if (current?.success === true) {
        remember(current.data);
        if (current.data[0] !== undefined) lookAt(current.data[0].key);
      } else if (failure.isUnreachable) await onUnreachable(sent);
      else {
        toastFailure(failure);
        if (failure.field !== undefined) lookAt(failure.field);
      }
    },
  });
}

/** Brings the field of a setting into sight. */
export function lookAt(key: string): void {
  if (!isSettingKey(key)) return;
  requestAnimationFrame(() => {
    const field = document.querySelector(`[data-setting="${CSS.escape(key)}"]`);
    field?.scrollIntoView({ block: 'center' });
    field?.querySelector<HTMLElement>('[aria-invalid=true], input, textarea')?.focus({ preventScroll: true });
  });
}
