import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { User } from '#shared/user.ts';
import { userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf, newerRecord } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { newRequestName } from '#pwa/api/request-name.ts';
import { problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { useRecordForm } from '#pwa/ui/form/use-record-form.ts';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { userQuery } from './queries.ts';
import { userProblemText } from './user-problem-text.ts';
import { changeCount, editBody, userProblems, type UserValues, valuesOf } from './user-values.ts';

export function useUserForm(user: User) {
  const { t } = useTranslation();
  const edited = useRecordForm({
    record: user,
    valuesOf,
    problems: (values, base) => problemTexts(userProblems(values, base), (problem) => userProblemText(t, problem)),
    isTouched: (values, base) => values.mode !== 'keep' || changeCount(base, values) > 0,
    // Use and balance move all the time, without a revision.
    isNewer: (record, base) => record !== base && record.revision >= base.revision,
    together: ['mode', 'amount', 'reason'],
  });
  return { ...edited, changes: changeCount(edited.base, edited.form.values) };
}
export type EditedUser = ReturnType<typeof useUserForm>;

/** Saves what the form changed. What the server refuses stands at its field. */
export function useSaveUser({ form, base, setTheirs, follow }: EditedUser) {
  const queryClient = useQueryClient();
  const ownId = useStoredUser()?.id;
  // Name of a change of the balance, reused until its outcome is known: a response may be lost.
  const quotaRef = useRef<string>(undefined);
  const save = useMutation({
    mutationFn: ({ sent, revision }: { sent: UserValues; revision: number }) => {
      quotaRef.current ??= newRequestName();
      return call(userApi.edit, { body: editBody(base, sent, { revision, quotaRef: quotaRef.current }) });
    },
    meta: { quiet: true },
    onSuccess: async (saved, { sent }) => {
      quotaRef.current = undefined;
      follow(sent, saved);
      queryClient.setQueryData(userQuery(saved.id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: ['users'] });
      await queryClient.invalidateQueries({ queryKey: ['user', saved.id, 'balance-history'] });
      await queryClient.invalidateQueries({ queryKey: ['limits'] });
      if (saved.id === ownId) await queryClient.invalidateQueries({ queryKey: ['self'] });
    },
    onError: (error) => {
      const theirs = newerRecord(error, User);
      const { status, code } = failureOf(error);
      // The server refused it for what it is: sent once more it is another one.
      if (theirs === undefined && status === 200 && code !== 'bad_answer') quotaRef.current = undefined;
      if (theirs !== undefined) setTheirs(theirs);
      else showRefusal(error);
    },
  });

  function showRefusal(error: unknown): void {
    const { code, message, field } = failureOf(error);
    const isAboutBalance = field === 'quota' || field === 'quota_change' || code.startsWith('balance_too');
    const shownAt = isAboutBalance ? 'amount' : field === 'quota_reason' ? 'reason' : field;
    if (!showOnField(form, { message, field: shownAt })) toastFailure({ code, message });
  }
  /** @param newest what others saved meanwhile: the form's changes are written over it */
  return { isPending: save.isPending, save: (newest = base) => save.mutate({ sent: form.getValues(), revision: newest.revision }) };
}
