import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { Option, optionApi } from '#shared/options.ts';
import type { SettingProblem } from '#shared/setting-values.ts';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { statusQuery } from '#pwa/api/site-status.ts';
import { currentConnection } from '#pwa/offline/online-status.tsx';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import { type QueuedEdit, queueEdit, useOutbox } from '#pwa/offline/outbox.ts';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { batchBody, draftProblems, type Drafts, overtaken, rebased, typed } from './option-drafts.ts';

export interface SettingEdits {
  drafts: Drafts;
  /** Edits that wait to be sent. */
  queued: ReadonlyMap<string, QueuedEdit>;
  /** What others made of settings that are being edited here. */
  theirs: ReadonlyMap<SettingKey, OptionState>;
  problems: ReadonlyMap<SettingKey, SettingProblem>;
  /** What became of the last save. */
  outcome: { kind: 'saved' | 'kept' | 'nothing'; count: number } | undefined;
  isSaving: boolean;
  type: (key: SettingKey, text: string) => void;
  /** Ends a conflict: the value is to replace theirs. */
  resolve: (key: SettingKey, value: string, theirs: OptionState) => void;
  drop: (key: SettingKey) => void;
  dropAll: () => void;
  save: () => Promise<void>;
}

/** Edits of settings: typed here, saved in one call, or kept in the outbox while there is no server to take them. */
export function useSettingEdits(options: readonly Option[]): SettingEdits {
  const queryClient = useQueryClient();
  const outbox = useOutbox();
  const [drafts, setDrafts] = useState<Drafts>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<SettingKey, SettingProblem>>(new Map());
  const [outcome, setOutcome] = useState<SettingEdits['outcome']>();
  const queued = new Map(outbox.map((edit) => [edit.optionKey, edit]));
  const theirs = overtaken(drafts, options);

  const save = useMutation({
    mutationFn: (sent: Drafts) => call(optionApi.saveMany, { body: batchBody(sent) }),
    meta: { quiet: true },
    onSuccess: async (saved, sent) => {
      remember(saved);
      forget([...sent.keys()]);
      setOutcome({ kind: 'saved', count: sent.size });
      await Promise.all([queryClient.invalidateQueries(optionsQuery), queryClient.invalidateQueries({ queryKey: statusQuery.queryKey })]);
    },
    onError: async (error, sent) => {
      const failure = failureOf(error);
      const current = failure.code === 'revision_conflict' ? z.array(Option).safeParse(failure.data) : undefined;
      // The newer values make the conflicts appear at their fields.
      if (current?.success === true) {
        remember(current.data);
        if (current.data[0] !== undefined) look(current.data[0].key);
      } else if (failure.isUnreachable) await keep(sent);
      else {
        toastFailure(failure);
        if (failure.field !== undefined) look(failure.field);
      }
    },
  });

  function remember(newer: readonly Option[]): void {
    const byKey = new Map(newer.map((option) => [option.key, option]));
    queryClient.setQueryData(optionsQuery.queryKey, (old) => old?.map((option) => byKey.get(option.key) ?? option));
  }
  function forget(keys: readonly SettingKey[]): void {
    setDrafts((old) => new Map([...old].filter(([key]) => !keys.includes(key))));
  }
  async function keep(kept: Drafts): Promise<void> {
    for (const [optionKey, { base, text }] of kept) await queueEdit({ optionKey, base, mine: text });
    forget([...kept.keys()]);
    setOutcome({ kind: 'kept', count: kept.size });
  }

  async function handleSave(): Promise<void> {
    if (save.isPending) return;
    setOutcome(undefined);
    const found = draftProblems(drafts);
    setProblems(found);
    const [firstWrong] = [...found.keys(), ...theirs.keys()];
    if (firstWrong !== undefined) return look(firstWrong);
    if (drafts.size === 0) return setOutcome({ kind: 'nothing', count: 0 });
    const ready = rebased(drafts, options);
    if (currentConnection() === 'offline') return keep(ready);
    // A setting with an edit in the outbox stays there: two ways to the server would overtake each other.
    const waiting = new Map([...ready].filter(([key]) => queued.has(key)));
    const direct = new Map([...ready].filter(([key]) => !queued.has(key)));
    if (waiting.size > 0) await keep(waiting);
    // Its failure has been dealt with above.
    if (direct.size > 0) await save.mutateAsync(direct).catch(() => {});
  }

  return {
    drafts,
    queued,
    theirs,
    problems,
    outcome,
    isSaving: save.isPending,
    type: (key, text) => {
      const option = options.find((one) => one.key === key);
      if (option === undefined) return;
      setOutcome(undefined);
      setProblems((old) => new Map([...old].filter(([other]) => other !== key)));
      setDrafts((old) => typed(old, { key, text, shown: queued.get(key)?.mine ?? option.value, option }));
    },
    resolve: (key, value, base) => setDrafts((old) => new Map(old).set(key, { text: value, base })),
    drop: (key) => forget([key]),
    dropAll: () => {
      setDrafts(new Map());
      setProblems(new Map());
    },
    save: handleSave,
  };
}

/** Brings the field of a setting into sight. */
function look(key: string): void {
  if (!isSettingKey(key)) return;
  requestAnimationFrame(() => {
    const field = document.querySelector(`[data-setting="${CSS.escape(key)}"]`);
    field?.scrollIntoView({ block: 'center' });
    field?.querySelector<HTMLElement>('[aria-invalid=true], input, textarea')?.focus({ preventScroll: true });
  });
}
