import { TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { settings } from '#shared/settings.ts';
import type { SettingProblem } from '#shared/setting-values.ts';
import type { QueuedEdit } from '#pwa/offline/outbox.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { around, type ControlProps } from './control-props.ts';
import type { Draft } from './option-drafts.ts';
import { seekSetting } from './seek-setting.ts';
import { type SettingEntry, textName } from './setting-entry.ts';
import { editableText } from './setting-texts.ts';
import styles from './setting-field.module.css';
import { useSettingLabels } from './use-setting-labels.ts';

// Only some pages have these, and they weigh more than all others.
const LazyJson = lazy(async () => ({ default: (await import('./json-control.tsx')).JsonControl }));
const LazyNumber = lazy(async () => ({ default: (await import('./number-controls.tsx')).NumberControl }));
const LazyPicture = lazy(async () => {
  const [part] = await Promise.all([import('./picture-control.tsx'), loadTexts('setting_parts')]);
  return { default: part.PictureControl };
});
const LazySecret = lazy(async () => ({ default: (await import('./secret-control.tsx')).SecretControl }));
const LazyQuota = lazy(async () => ({ default: (await import('./number-controls.tsx')).QuotaControl }));
const LazyTextBox = lazy(async () => ({ default: (await import('./text-box.tsx')).TextBox }));

export interface SettingControlProps {
  entry: SettingEntry;
  /** A link leads to it: it stands open. */
  isWanted: boolean;
  option: Option;
  draft: Draft | undefined;
  /** An earlier edit that waits to be sent. */
  queued: QueuedEdit | undefined;
  problem: SettingProblem | undefined;
  mayWrite: boolean;
  onType: (text: string) => void;
  /** What was typed is dropped. */
  onDrop: () => void;
}

/** The field of a setting, by how it is entered. */
export function SettingControl(props: SettingControlProps) {
  const { entry, isWanted, option, draft, queued, problem, mayWrite, onType } = props;
  const { t } = useTranslation();
  const words = useSettingLabels();
  const id = textName(entry.key);
  const before = queued?.mine ?? option.value;
  const error = problem === undefined ? undefined : words.problem(problem);
  const isShort = entry.control === 'text' || entry.control === 'number' || entry.control === 'quota';
  const was = draft === undefined ? undefined : isShort ? words.value(entry.key, before) : (true as const);
  const label = <EditLabel was={was}>{t(`settings.option.${id}.label`)}</EditLabel>;
  const hint = t(`settings.option.${id}.hint`);
  if (entry.control === 'secret')
    return (
      <Loaded
        words={{ label, hint }}
        wanted={isWanted ? entry.key : undefined}
        field={<LazySecret {...props} label={label} hint={hint} error={error} />}
      />
    );
  const Control = controls[entry.control];
  return (
    <Control
      entry={entry}
      text={draft?.text ?? editableText(entry.key, before)}
      label={label}
      hint={hint}
      error={error}
      disabled={!mayWrite}
      isOpen={isWanted}
      needsLook={draft !== undefined || queued !== undefined || error !== undefined}
      onType={onType}
    />
  );
}

const controls: Record<Exclude<SettingEntry['control'], 'secret'>, (props: ControlProps) => ReactNode> = {
  switch: SwitchControl,
  quota: (props) => <Loaded words={props} wanted={props.isOpen ? props.entry.key : undefined} field={<LazyQuota {...props} />} />,
  number: (props) => <Loaded words={props} wanted={props.isOpen ? props.entry.key : undefined} field={<LazyNumber {...props} />} />,
  picture: (props) => <Loaded words={props} wanted={props.isOpen ? props.entry.key : undefined} field={<LazyPicture {...props} />} />,
  choice: ChoiceControl,
  json: (props) => <Loaded words={props} wanted={props.isOpen ? props.entry.key : undefined} field={<LazyJson {...props} />} />,
  lines: (props) => (
    <Loaded words={props} wanted={props.isOpen ? props.entry.key : undefined} field={<LazyTextBox {...props} minRows={4} />} />
  ),
  /** What a page shows; nothing is taken from what is pasted. */
  long: (props) => (
    <Loaded words={props} wanted={props.isOpen ? props.entry.key : undefined} field={<LazyTextBox {...props} minRows={3} isMono />} />
  ),
  text: TextControl,
};

interface LoadedProps {
  words: Pick<ControlProps, 'label' | 'hint'>;
  /** The setting, when a link leads to it. */
  wanted: string | undefined;
  field: ReactNode;
}

/** Its words are drawn at once, the field a moment later, in a reserved space. */
function Loaded({ words, wanted, field }: LoadedProps) {
  return (
    <Suspense
      fallback={
        <span className={`${typography.compact} ${styles.words} ${styles.loading}`}>
          <span>{words.label}</span>
          <span className={typography.note}>{words.hint}</span>
        </span>
      }
    >
      {field}
      {wanted !== undefined && <SeekOnceThere setting={wanted} />}
    </Suspense>
  );
}

/** The way to a field ends at it, and only then it is known where that is. */
function SeekOnceThere({ setting }: { setting: string }) {
  useEffect(() => seekSetting(setting), [setting]);
  return null;
}

function SwitchControl({ text, label, hint, error, disabled, onType }: ControlProps) {
  return (
    <SwitchRow
      label={label}
      description={hint}
      error={error}
      disabled={disabled}
      checked={text === 'true' || text === '1'}
      onChange={(event) => onType(String(event.currentTarget.checked))}
    />
  );
}

function ChoiceControl({ entry, text, label, hint, disabled, onType }: ControlProps) {
  const { t } = useTranslation();
  const id = textName(entry.key);
  return (
    <div className={styles.row}>
      <span className={`${typography.compact} ${styles.words}`}>
        <span>{label}</span>
        <span className={typography.note}>{hint}</span>
      </span>
      <Segments
        label={t(`settings.option.${id}.label`)}
        value={text}
        options={(settings[entry.key].choices ?? []).map((value) => ({ value, label: t(`settings.choice.${id}.${value}`) }))}
        onChange={(value) => {
          if (!disabled) onType(value);
        }}
      />
    </div>
  );
}

function TextControl(props: ControlProps) {
  const { entry, text, onType } = props;
  const isUrl = settings[entry.key].kind === 'url';
  return (
    <TextInput
      {...around(props)}
      value={text}
      inputMode={isUrl ? 'url' : 'text'}
      placeholder={isUrl ? 'https://' : ''}
      autoComplete="off"
      onChange={(event) => onType(event.currentTarget.value)}
    />
  );
}
