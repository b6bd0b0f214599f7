import { Button, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isMapSetting, isSettingKey, settingProblem } from '#shared/settings.ts';
import { changeEdit, type QueuedEdit } from '#pwa/offline/outbox.ts';
import { JsonField } from '#pwa/ui/form/json-field.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './outbox.module.css';
import { controlOf } from './pages.ts';
import { editableText } from './setting-texts.ts';
import { useSettingLabels } from './use-setting-labels.ts';

/** Another value for an edit that waits. */
export function EditedValue({ edit, onDone }: { edit: QueuedEdit; onDone: () => void }) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const [text, setText] = useState(() => editableText(edit.optionKey, edit.mine));
  const control = controlOf(edit.optionKey);
  const problem = isSettingKey(edit.optionKey) ? settingProblem(edit.optionKey, text) : undefined;
  const error = problem === undefined ? undefined : words.problem(problem);
  const name = words.name(edit.optionKey);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);

  function handleKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onDone();
  }
  return (
    <form
      ref={form}
      className={layout.stackMd}
      onKeyDown={handleKey}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined) void changeEdit(edit.id, text).then(onDone);
      }}
    >
      {isMapSetting(edit.optionKey) ? (
        <JsonField label={name} value={text} onChange={setText} error={error} />
      ) : control === 'quota' ? (
        <QuotaInput label={name} value={text === '' ? '' : Number(text)} onChange={(units) => setText(String(units))} error={error} />
      ) : (
        <TextInput label={name} value={text} error={error} autoComplete="off" onChange={(event) => setText(event.currentTarget.value)} />
      )}
      <span className={styles.actions}>
        <Button variant="subtle" onClick={onDone}>
          {t('common.action.cancel')}
        </Button>
        <Button variant="filled" type="submit" disabled={problem !== undefined}>
          {t('outbox.change')}
        </Button>
      </span>
    </form>
  );
}
