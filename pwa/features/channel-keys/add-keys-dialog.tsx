import { Button, FileButton, NumberInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { channelKeyApi, type KeyIntake } from '#shared/channel-keys.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { Dialog, DialogFoot } from '#pwa/ui/frame/dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { endingText } from './key-mark.tsx';
import { useKeyMutation, useKeyReading } from './queries.ts';

const standardWeight = 10;
/** Pause in typing before the keys are sent to be checked. */
const checkMs = 300;

interface AddKeysDialogProps {
  channel: number;
  name: string;
  onClose: () => void;
}

/** Takes pasted keys and files, shows which are new, known or invalid, and adds the new ones. */
export function AddKeysDialog({ channel, name, onClose }: AddKeysDialogProps) {
  const { t } = useTranslation();
  const { keys, check, add, setKeys, addFiles } = useIntake(channel);
  const [weight, setWeight] = useState(standardWeight);
  const [isDisabled, setDisabled] = useState(false);
  const failure = add.error ?? check.error;
  const handleSave = (): void =>
    add.mutate(
      { keys, weight, status: isDisabled ? 2 : 1 },
      {
        onSuccess: ({ added }) => {
          toastSuccess(t('channel-keys.add.done', { count: added }));
          onClose();
        },
      },
    );
  return (
    <Dialog title={t('channel-keys.add.title', { name })} onClose={onClose}>
      <div className={layout.stackMd}>
        <PastedKeys value={keys} onChange={setKeys} onFiles={addFiles} />
        {check.data !== undefined && <Intake of={check.data} />}
        <Refusal text={failure === null ? undefined : failureOf(failure).message} />
        <NumberInput
          label={t('channel-keys.add.weight')}
          min={1}
          allowDecimal={false}
          value={weight}
          onChange={(value) => setWeight(Math.max(1, Number(value) || 1))}
        />
        <SwitchRow
          label={t('channel-keys.add.disabled')}
          checked={isDisabled}
          onChange={(event) => setDisabled(event.currentTarget.checked)}
        />
        <p className={typography.muted}>{t('channel-keys.add.secret')}</p>
        <Foot count={check.data?.added ?? 0} isPending={add.isPending} onSave={handleSave} onClose={onClose} />
      </div>
    </Dialog>
  );
}

function useIntake(channel: number) {
  const params = { id: String(channel) };
  const [keys, setText] = useState('');
  const check = useKeyReading((text: string) => call(channelKeyApi.check, { params, body: { keys: text } }));
  const add = useKeyMutation((body: { keys: string; weight: number; status: number }) => call(channelKeyApi.add, { params, body }));
  const checkLater = useDebouncedCallback((text: string) => {
    if (text.trim() !== '') check.mutate(text);
  }, checkMs);
  const setKeys = (text: string): void => {
    setText(text);
    check.reset();
    checkLater(text);
  };
  const addFiles = async (files: readonly File[]): Promise<void> => {
    const texts = await Promise.all(files.map((file) => file.text()));
    if (texts.length > 0) setKeys([keys.trim(), ...texts].filter((text) => text !== '').join('\n'));
  };
  return { keys, check, add, setKeys, addFiles };
}

interface PastedKeysProps {
  value: string;
  onChange: (text: string) => void;
  onFiles: (files: readonly File[]) => Promise<void>;
}

function PastedKeys({ value, onChange, onFiles }: PastedKeysProps) {
  const { t } = useTranslation();
  const handleDrop = (event: DragEvent): void => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    void onFiles([...event.dataTransfer.files]);
  };
  return (
    <div className={layout.stackSm} onDragOver={(event) => event.preventDefault()} onDrop={handleDrop}>
      <TextArea
        label={t('channel-keys.add.keys')}
        description={t('channel-keys.add.hint')}
        minRows={4}
        maxRows={10}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <FileButton multiple accept=".txt,.json,text/plain,application/json" onChange={(files) => void onFiles(files)}>
        {(props) => <Button {...props}>{t('channel-keys.add.file')}</Button>}
      </FileButton>
    </div>
  );
}

function Foot({ count, isPending, onSave, onClose }: { count: number; isPending: boolean; onSave: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <DialogFoot>
      <Button onClick={onClose}>{t('common.action.cancel')}</Button>
      <OnlineButton
        variant="filled"
        disabled={count === 0}
        loading={isPending}
        label={t('channel-keys.add.save', { count })}
        onClick={onSave}
      />
    </DialogFoot>
  );
}

function Intake({ of: { added, known, invalid } }: { of: KeyIntake }) {
  const { t } = useTranslation();
  return (
    <div className={layout.stackSm} role="status">
      <StatusMark status="on">{t('channel-keys.intake.added', { count: added })}</StatusMark>
      {known.map(({ line, ending, position }) => (
        <StatusMark key={`known-${line}`} status="off">
          {t('channel-keys.intake.known', { ending: endingText(ending), position })}
        </StatusMark>
      ))}
      {invalid.map(({ line, reason }) => (
        <StatusMark key={`invalid-${line}`} status="failed">
          {t('channel-keys.intake.invalid', { line, reason })}
        </StatusMark>
      ))}
    </div>
  );
}
