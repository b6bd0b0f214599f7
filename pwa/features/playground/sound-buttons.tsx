import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import { ChatIcon } from './icons.tsx';
import styles from './attachments.module.css';
import { type Recording, record } from './record-sound.ts';

/** A file, or what is said now. */
export function SoundButtons({ onFiles, disabled }: { onFiles: (files: readonly File[]) => void; disabled: boolean }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.soundButtons}>
      <Button variant="default" leftSection={<ChatIcon name="attach" />} disabled={disabled} onClick={() => input.current?.click()}>
        {t('playground.sound.choose')}
      </Button>
      <RecordButton disabled={disabled} onRecorded={(file) => onFiles([file])} />
      <input
        className="visually-hidden"
        ref={input}
        type="file"
        accept="audio/*,video/mp4,video/webm"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          if (event.currentTarget.files !== null) onFiles([...event.currentTarget.files]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

function RecordButton({ onRecorded, disabled }: { onRecorded: (file: File) => void; disabled: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [recording, setRecording] = useState<Recording>();
  const seconds = useSeconds(recording !== undefined);
  useEffect(() => () => recording?.cancel(), [recording]);

  async function begin(): Promise<void> {
    const begun = await record();
    if (typeof begun === 'string') toastNote(t(`playground.sound.microphone.${begun}`));
    else setRecording(begun);
  }
  async function end(): Promise<void> {
    const file = await recording?.stop();
    setRecording(undefined);
    if (file !== undefined) onRecorded(file);
  }
  if (recording === undefined)
    return (
      <Button variant="default" leftSection={<ChatIcon name="microphone" />} disabled={disabled} onClick={() => void begin()}>
        {t('playground.sound.record')}
      </Button>
    );
  return (
    <Button variant="default" className={styles.recording ?? ''} leftSection={<ChatIcon name="stop" />} onClick={() => void end()}>
      {t('playground.sound.end', { time: format.duration(seconds * 1000) })}
    </Button>
  );
}

function useSeconds(isOn: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isOn) return;
    setSeconds(0);
    const timer = setInterval(() => setSeconds((now) => now + 1), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  return seconds;
}
