import { Button } from '@mantine/core';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { createStore, useStore } from '#pwa/ui/store.ts';

const UnsavedEdits = lazyPart(
  () => import('#pwa/ui/form/unsaved-edits.tsx'),
  (part) => part.UnsavedEdits,
);

/** Forms of the screen that hold what nobody saved. */
const unsaved = createStore<ReadonlySet<string>>(new Set());

interface SaveButtonProps {
  /** What it saves: `name`, `mark`, `notice`, `unpriced`. */
  of: 'name' | 'mark' | 'notice' | 'unpriced';
  /** Something was changed and is not saved. */
  isDirty: boolean;
  isSaving: boolean;
}

/** The one way to save here: a button below what it saves. Without a connection the edit waits, and the button says so. */
export function SaveButton({ of, isDirty, isSaving }: SaveButtonProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const id = useId();
  useEffect(() => {
    const others = new Set([...unsaved.get()].filter((one) => one !== id));
    unsaved.set(isDirty ? others.add(id) : others);
    return () => unsaved.set(new Set([...unsaved.get()].filter((one) => one !== id)));
  }, [id, isDirty]);
  return (
    <Button type="submit" loading={isSaving}>
      {t(`personal.${of}.${isOnline ? 'save' : 'save_offline'}`)}
    </Button>
  );
}

/** Asks once before leaving, however many forms have something. */
export function UnsavedForms() {
  return useStore(unsaved).size > 0 && <UnsavedEdits when />;
}
