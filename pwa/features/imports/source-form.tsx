import { Button, FileButton, NumberInput, PasswordInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportOptions, ImportOverview, ImportSourceInput } from '#shared/imports.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './imports.module.css';
import { useCreateImport, usePlanImport } from './queries.ts';
import { sizeText } from '#pwa/ui/size-text.ts';
import { sendFile } from './uploads.ts';

type Way = 'file' | 'address' | 'config';
const ways: readonly Way[] = ['file', 'address', 'config'];

interface Draft {
  way: Way;
  file: File | null;
  address: string;
  config: string;
  environment: string;
  options: ImportOptions;
}

const standardOptions: ImportOptions = {
  conflicts: 'refuse',
  log_days: 30,
  replaces_settings: false,
  without_settings: false,
  without_backup: false,
};

interface SourceFormProps {
  overview: ImportOverview;
  onCreated: (id: number) => void;
}

/** Where rows come from and what is taken; then the dry run starts. */
export function SourceForm({ overview, onCreated }: SourceFormProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<Draft>({
    way: 'file',
    file: null,
    address: '',
    config: '',
    environment: '',
    options: standardOptions,
  });
  const change = (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part }));
  const { begin, isPending, refusal } = useBegin(overview, onCreated);
  const handleSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void begin(draft);
  };
  return (
    <Block title={t('imports.source.title')}>
      <form className={`${layout.stackLg} ${styles.form}`} onSubmit={handleSubmit}>
        <p className={typography.secondary}>{t('imports.source.lead')}</p>
        <Segments
          label={t('imports.source.title')}
          value={draft.way}
          options={ways.map((way) => ({ value: way, label: t(`imports.way.${way}`) }))}
          onChange={(way) => change({ way })}
        />
        {draft.way === 'file' && <FileSource file={draft.file} most={overview.most_bytes} onChange={(file) => change({ file })} />}
        {draft.way === 'address' && (
          <PasswordInput
            label={t('imports.source.address')}
            description={t('imports.source.address_hint')}
            placeholder="mysql://reader:password@host:3306/new-api"
            autoComplete="off"
            spellCheck={false}
            value={draft.address}
            onChange={(event) => change({ address: event.currentTarget.value })}
          />
        )}
        {draft.way === 'config' && <ConfigSource draft={draft} onChange={change} />}
        {draft.way === 'address' && (
          <Fold title={t('imports.source.litellm')}>
            <ConfigSource draft={draft} onChange={change} />
          </Fold>
        )}
        <OptionFields options={draft.options} onChange={(options) => change({ options })} />
        <Refusal text={refusal} />
        <span className={layout.wrap}>
          <OnlineButton
            type="submit"
            variant="filled"
            disabled={!isComplete(draft)}
            loading={isPending}
            label={t(draft.way === 'file' ? 'imports.action.upload' : 'imports.action.plan')}
          />
        </span>
      </form>
    </Block>
  );
}

function isComplete({ way, file, address, config }: Draft): boolean {
  return way === 'file' ? file !== null : way === 'address' ? address.trim() !== '' : config.trim() !== '';
}

function useBegin({ part_bytes: partBytes, most_bytes: most }: ImportOverview, onCreated: (id: number) => void) {
  const { t } = useTranslation();
  const format = useFormat();
  const create = useCreateImport();
  const plan = usePlanImport();
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const begin = async (draft: Draft): Promise<void> => {
    const { file, options } = draft;
    if (draft.way === 'file' && file !== null && file.size > most) {
      setRefusal(t('imports.source.too_large', { most: sizeText(most, format) }));
      return;
    }
    setPending(true);
    setRefusal(undefined);
    let isCreated = false;
    try {
      const { id } = await create.mutateAsync(inputOf(draft));
      isCreated = true;
      onCreated(id);
      const isThere = draft.way !== 'file' || file === null || (await sendFile({ id, file, sent: 0, partBytes }));
      if (isThere) await plan.mutateAsync({ id, options });
    } catch (failure) {
      // The form has been replaced by the import.
      if (isCreated) toastFailure(failureOf(failure));
      else setRefusal(failureOf(failure).message);
    } finally {
      setPending(false);
    }
  };
  return { begin, isPending, refusal };
}

function inputOf({ way, file, address, config, environment, options }: Draft): ImportSourceInput {
  if (way === 'file') return { ...(file === null ? {} : { file: { name: file.name, bytes: file.size } }), options };
  const texts = { ...(config.trim() === '' ? {} : { config }), ...(environment.trim() === '' ? {} : { environment }) };
  return { ...(way === 'address' ? { address } : {}), ...texts, options };
}

function FileSource({ file, most, onChange }: { file: File | null; most: number; onChange: (file: File | null) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div
      className={`${layout.stackSm} ${styles.drop}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onChange(event.dataTransfer.files[0] ?? null);
      }}
    >
      <span className={layout.wrap}>
        <FileButton onChange={onChange}>{(props) => <Button {...props}>{t('imports.source.choose')}</Button>}</FileButton>
        <span className={styles.chosen}>
          {file === null ? t('imports.source.no_file') : `${file.name}, ${sizeText(file.size, format)}`}
        </span>
      </span>
      <p className={typography.note}>{t('imports.source.file_hint', { most: sizeText(most, format) })}</p>
    </div>
  );
}

function ConfigSource({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const { t } = useTranslation();
  return (
    <div className={layout.stackMd}>
      <TextArea
        label={t('imports.source.config')}
        description={t('imports.source.config_hint')}
        minRows={4}
        maxRows={12}
        spellCheck={false}
        autoComplete="off"
        value={draft.config}
        onChange={(event) => onChange({ config: event.currentTarget.value })}
      />
      <TextArea
        label={t('imports.source.environment')}
        description={t('imports.source.environment_hint')}
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        value={draft.environment}
        onChange={(event) => onChange({ environment: event.currentTarget.value })}
      />
    </div>
  );
}

interface OptionFieldsProps {
  options: ImportOptions;
  onChange: (options: ImportOptions) => void;
}

/** What is taken, and what becomes of settings that have another value here. */
function OptionFields({ options, onChange }: OptionFieldsProps) {
  const { t } = useTranslation();
  const set = (part: Partial<ImportOptions>): void => onChange({ ...options, ...part });
  return (
    <div className={layout.stackMd}>
      <NumberInput
        label={t('imports.option.log_days')}
        description={t('imports.option.log_days_hint')}
        className={styles.days}
        min={0}
        max={36_500}
        allowDecimal={false}
        value={options.log_days}
        onChange={(value) => set({ log_days: Math.min(36_500, Math.max(0, Number(value) || 0)) })}
      />
      <SwitchRow
        label={t('imports.option.settings')}
        description={t('imports.option.settings_hint')}
        checked={!options.without_settings}
        onChange={(event) => set({ without_settings: !event.currentTarget.checked })}
      />
      <SwitchRow
        label={t('imports.option.replace')}
        description={t('imports.option.replace_hint')}
        disabled={options.without_settings}
        checked={options.replaces_settings}
        onChange={(event) => set({ replaces_settings: event.currentTarget.checked })}
      />
      <SwitchRow
        label={t('imports.option.backup')}
        description={t('imports.option.backup_hint')}
        checked={!options.without_backup}
        onChange={(event) => set({ without_backup: !event.currentTarget.checked })}
      />
    </div>
  );
}
