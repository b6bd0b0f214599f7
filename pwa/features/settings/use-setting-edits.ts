import { useState } from 'react';
import type { Option } from '#shared/options.ts';
import type { SettingProblem } from '#shared/setting-values.ts';
import type { SettingKey } from '#shared/settings.ts';
import { currentConnection } from '#pwa/offline/online-status.tsx';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import { type QueuedEdit, queueEdit, useOutbox } from '#pwa/offline/outbox.ts';
import { afterSave, changesOf, draftProblems, type Drafts, overtaken, rebased, typed, withoutSecrets } from './option-drafts.ts';
import { lookAt, useOptionSave } from './use-option-save.ts';

export interface SettingEdits {
  drafts: Drafts;
  /** Edits that wait to be sent. */
  queued: ReadonlyMap<string, QueuedEdit>;
  /** What others made of settings that are being edited here. */
  theirs: ReadonlyMap<SettingKey, OptionState>;
  problems: ReadonlyMap<SettingKey, SettingProblem>;
  /** What became of the last save: how many values were saved, or how many edits wait. */
  outcome: { kind: 'saved' | 'kept' | 'nothing' | 'secrets'; count: number } | undefined;
  isSaving: boolean;
  type: (key: SettingKey, text: string) => void;
  /** Ends a conflict: the value is to replace theirs. */
  resolve: (key: SettingKey, value: string, theirs: OptionState) => void;
  drop: (key: SettingKey) => void;
  dropAll: () => void;
  /** Reason of the next save, for the history. An edit that waits in the outbox has none. */
  note: string;
  onNote: (note: string) => void;
  save: () => Promise<void>;
}

/** Edits of settings: typed here, saved in one call, or stored in the outbox while the server is unreachable. */
export function useSettingEdits(options: readonly Option[]): SettingEdits {
  const outbox = useOutbox();
  const [drafts, setDrafts] = useState<Drafts>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<SettingKey, SettingProblem>>(new Map());
  const [outcome, setOutcome] = useState<SettingEdits['outcome']>();
  const [note, setNote] = useState('');
  const queued = new Map(outbox.map((edit) => [edit.optionKey, edit]));
  const theirs = overtaken(drafts, options);

  const save = useOptionSave({
    note,
    onSaved: (sent, saved) => {
      setNote('');
      setDrafts((old) => afterSave(old, sent, saved));
      setOutcome({ kind: 'saved', count: changesOf(sent, options) });
    },
    onUnreachable: queueDrafts,
  });

  async function queueDrafts(unsent: Drafts): Promise<void> {
    const sendable = withoutSecrets(unsent);
    for (const [optionKey, { base, text }] of sendable) await queueEdit({ optionKey, base, mine: text });
    setDrafts((old) => afterSave(old, sendable));
    const secrets = unsent.size - sendable.size;
    setOutcome(secrets > 0 ? { kind: 'secrets', count: secrets } : { kind: 'kept', count: sendable.size });
  }

  async function handleSave(): Promise<void> {
    if (save.isPending) return;
    setOutcome(undefined);
    const found = draftProblems(drafts);
    setProblems(found);
    const [firstWrong] = [...found.keys(), ...theirs.keys()];
    if (firstWrong !== undefined) return lookAt(firstWrong);
    if (drafts.size === 0) return setOutcome({ kind: 'nothing', count: 0 });
    const ready = rebased(drafts, options);
    if (currentConnection() === 'offline') return queueDrafts(ready);
    // A setting with an edit in the outbox stays there: two ways to the server would overtake each other.
    const waiting = new Map([...ready].filter(([key]) => queued.has(key)));
    const direct = new Map([...ready].filter(([key]) => !queued.has(key)));
    if (waiting.size > 0) await queueDrafts(waiting);
    // Its failure has been dealt with above.
    if (direct.size > 0) await save.mutateAsync(direct).catch(() => {});
  }

  return {
    drafts,
    queued,
    theirs,
    problems,
    outcome,
    note,
    onNote: setNote,
    isSaving: save.isPending,
    type: (key, text) => {
      const option = options.find((one) => one.key === key);
      if (option === undefined) return;
      setOutcome(undefined);
      setProblems((old) => new Map([...old].filter(([other]) => other !== key)));
      const isSent = save.isPending && save.variables.has(key);
      const shown = isSent ? undefined : (queued.get(key)?.mine ?? option.value);
      setDrafts((old) => typed(old, { key, text, shown, option }));
    },
    resolve: (key, value, base) => setDrafts((old) => new Map(old).set(key, { text: value, base })),
    drop: (key) => setDrafts((old) => new Map([...old].filter(([other]) => other !== key))),
    dropAll: () => {
      setDrafts(new Map());
      setProblems(new Map());
    },
    save: handleSave,
  };
}
