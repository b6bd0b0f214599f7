import { type SetStateAction, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { ownNameKey, ownNameState, type OwnSettings, ownSettingKeys, ownSettingState } from '#pwa/offline/edits/own-setting.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { type QueuedEdit, useOutbox } from '#pwa/offline/outbox.ts';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import { fieldNamed, type OwnKey, ownKeys, type OwnProblems, problemsOf, secretKey } from './own-problems.ts';
import { noEdits, useSendEdits } from './use-send-edits.ts';

/** One form for all that a person changes of the own account but the password, wherever its fields stand. */
export interface OwnForm {
  /** What was typed, else what waits to be sent, else what is stored. */
  value: (key: OwnKey) => string;
  /** The same without what was typed. */
  shown: (key: OwnKey) => string;
  /** The new credential; undefined: untouched. */
  secret: string | undefined;
  problems: OwnProblems;
  /** Those of these keys that wait to be sent. */
  waiting: (keys: readonly OwnKey[]) => QueuedEdit[];
  change: (key: OwnKey, text: string) => void;
  setSecret: (secret: string | undefined) => void;
  /** How many values differ. */
  changes: number;
  isSaving: boolean;
  /** Without a connection the changes wait in the outbox. */
  save: () => void;
  discard: () => void;
  dropSecret: () => void;
}

export function useOwnForm(user: User): OwnForm {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const outbox = useOutbox();
  const [typed, setTyped] = useState<Partial<Record<OwnKey, string>>>({});
  const [secret, setSecret] = useState<string>();
  const [problems, setProblems] = useState<OwnProblems>({});
  const waiting = (keys: readonly OwnKey[]) => outbox.filter(({ optionKey }) => keys.some((key) => key === optionKey));
  const shown = (key: OwnKey) => waiting([key])[0]?.mine ?? stateOf(user, key).value;
  const value = (key: OwnKey) => typed[key] ?? shown(key);
  const changed = ownKeys.filter((key) => value(key).trim() !== shown(key));
  const hasSecret = (secret ?? '') !== '';
  const [attempts, setAttempts] = useState(0);
  useProblemInSight(attempts);

  const sending = useSendEdits({
    user,
    isWaiting: (keys) => !isOnline || waiting(keys).length > 0,
    // What was typed meanwhile stays.
    onDone({ settings, credential, name }) {
      const sent: Partial<Record<string, string>> = { ...settings, [ownNameKey]: name };
      setTyped((now) => Object.fromEntries(Object.entries(now).filter(([key, text]) => sent[key] !== text.trim())));
      if (credential.webhook_secret !== undefined) setSecret((now) => (now === credential.webhook_secret ? undefined : now));
    },
    onRefused(failure) {
      const field = fieldNamed(failure.field);
      if (field === undefined) return false;
      showProblems((now) => ({ ...now, [field]: failure.message }));
      return true;
    },
  });

  function showProblems(found: SetStateAction<OwnProblems>): void {
    setProblems(found);
    setAttempts((now) => now + 1);
  }
  function save(): void {
    if (sending.isPending) return;
    if (changed.length === 0 && !hasSecret) return toastNote(t('personal.nothing'));
    const found = problemsOf({ value, changed, isSecretStuck: hasSecret && !isOnline, t });
    showProblems(found);
    if (Object.keys(found).length > 0) return;
    const settings: OwnSettings = {};
    for (const key of ownSettingKeys) if (changed.includes(key)) settings[key] = value(key).trim();
    const name = changed.includes(ownNameKey) ? value(ownNameKey).trim() : undefined;
    sending.mutate({ settings, credential: hasSecret ? { webhook_secret: secret } : {}, name });
  }
  return {
    value,
    shown,
    secret,
    problems,
    waiting,
    change(key, text) {
      setTyped((now) => ({ ...now, [key]: text }));
      setProblems(({ [key]: _mended, ...others }) => others);
    },
    setSecret(text) {
      setSecret(text);
      setProblems(({ [secretKey]: _mended, ...others }) => others);
    },
    changes: changed.length + (hasSecret ? 1 : 0),
    isSaving: sending.isPending,
    save,
    discard() {
      setTyped({});
      setSecret(undefined);
      setProblems({});
    },
    dropSecret: () => sending.mutate({ ...noEdits, credential: { remove_webhook_secret: true } }),
  };
}

/** After each attempt to save, scrolls to the first field with a problem, wherever the button is. */
function useProblemInSight(attempts: number): void {
  useEffect(() => {
    if (attempts > 0) document.querySelector<HTMLElement>('[data-own] [aria-invalid=true]')?.focus();
  }, [attempts]);
}

function stateOf(user: User, key: OwnKey) {
  return key === ownNameKey ? ownNameState(user) : ownSettingState(user, key);
}
