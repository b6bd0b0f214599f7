import { Button, FileButton, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { type ColumnsOfFields, mappedFields, mappingFault } from '#shared/bill-formats.ts';
import type { BillMapping, BillOverview } from '#shared/provider-bills.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { sizeText } from '#pwa/ui/size-text.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { type FileKind, kindOfFile } from './bill-file.ts';
import styles from './bills.module.css';
import { useUploadBill } from './queries.ts';

const formId = 'bill-upload';

interface UploadPanelProps {
  overview: BillOverview;
  account: number | undefined;
  onClose: () => void;
  onDone: (id: number) => void;
}

/** A file, and how its columns are read if its format is not known. */
export function UploadPanel({ overview: { accounts, mappings }, account, onClose, onDone }: UploadPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { chosen, setChosen, file, handleFile, mapping, setMapping, upload, isReady, handleSubmit } = useUpload({
    accounts,
    mappings,
    account,
    onDone,
  });
  return (
    <SidePanel
      title={t('bills.action.upload')}
      takesFocus
      isTall
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton
            variant="filled"
            type="submit"
            form={formId}
            disabled={!isReady}
            loading={upload.isPending}
            label={t('bills.action.import')}
          />
        </>
      }
    >
      <form id={formId} className={`${layout.stackLg} ${styles.panel}`} noValidate onSubmit={handleSubmit}>
        <Select
          label={t('bills.column.account')}
          data={accounts.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={chosen}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? chosen)}
        />
        <div className={`${layout.stackXs} ${styles.file}`}>
          <span className={typography.small}>{t('bills.upload.file')}</span>
          <span className={layout.row}>
            <FileButton accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson" onChange={(picked) => void handleFile(picked)}>
              {(props) => <Button {...props}>{t('bills.upload.choose')}</Button>}
            </FileButton>
            <span className={styles.chosen}>
              {file === undefined ? t('bills.upload.no_file') : `${file.file.name}, ${sizeText(file.file.size, format)}`}
            </span>
          </span>
        </div>
        {file !== undefined && <FileNote kind={file.kind} />}
        {file?.kind.kind === 'table' && <MappingFields table={file.kind} mapping={mapping} onChange={setMapping} />}
        <p className={typography.muted}>{t('bills.upload.replaces')}</p>
        <Refusal text={upload.error === null ? undefined : failureOf(upload.error).message} />
      </form>
      <UnsavedEdits when={file !== undefined} />
    </SidePanel>
  );
}

type Uploading = Pick<BillOverview, 'accounts' | 'mappings'> & Pick<UploadPanelProps, 'account' | 'onDone'>;

/** The chosen account and file, the mapping of its columns, and their upload. */
function useUpload({ accounts, mappings, account, onDone }: Uploading) {
  const [chosen, setChosen] = useState(String(account ?? accounts[0]?.id ?? ''));
  const [file, setFile] = useState<{ file: File; kind: FileKind }>();
  const [mapping, setMapping] = useState<BillMapping>({ name: '', columns: {}, decimal: '.' });
  const upload = useUploadBill();
  const isTable = file?.kind.kind === 'table';
  const isReady =
    file !== undefined &&
    file.kind.kind !== 'unreadable' &&
    (!isTable || (mapping.name.trim() !== '' && mappingFault(mapping.columns) === undefined));
  const handleFile = async (picked: File | null): Promise<void> => {
    if (picked === null) return;
    const kind = await kindOfFile(picked, mappings);
    setFile({ file: picked, kind });
    if (kind.kind === 'table')
      setMapping({ name: picked.name.replace(/[-_.\d]*\.\w+$/, '').slice(0, 60), columns: guessOf(kind.columns), decimal: '.' });
  };
  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady || upload.isPending) return;
    upload.mutate(
      { account: Number(chosen), file: file.file, mapping: isTable ? mapping : undefined },
      {
        onSuccess: ({ id }) => {
          flushSync(() => setFile(undefined));
          onDone(id);
        },
      },
    );
  };
  return { chosen, setChosen, file, handleFile, mapping, setMapping, upload, isReady, handleSubmit };
}

function FileNote({ kind }: { kind: FileKind }) {
  const { t } = useTranslation();
  const text =
    kind.kind === 'known'
      ? t('bills.upload.known', { format: kind.format })
      : kind.kind === 'mapped'
        ? t('bills.upload.mapped', { mapping: kind.mapping })
        : t(`bills.upload.${kind.kind}`);
  return (
    <p className={typography.secondary} role="status">
      {text}
    </p>
  );
}

interface MappingFieldsProps {
  table: Extract<FileKind, { kind: 'table' }>;
  mapping: BillMapping;
  onChange: (mapping: BillMapping) => void;
}

function MappingFields({ table: { columns, example }, mapping, onChange }: MappingFieldsProps) {
  const { t } = useTranslation();
  const options = columns.flatMap((column, index) =>
    column.trim() === '' ? [] : [{ value: column, label: example[index] ? `${column} (${example[index].slice(0, 24)})` : column }],
  );
  const wrong = mappingFault(mapping.columns);
  return (
    <fieldset className={`${layout.stackMd} ${styles.mapping}`}>
      <legend>{t('bills.upload.mapping')}</legend>
      <TextInput
        label={t('bills.upload.mapping_name')}
        value={mapping.name}
        maxLength={80}
        onChange={(event) => onChange({ ...mapping, name: event.currentTarget.value })}
      />
      {mappedFields.map((field) => (
        <label key={field} className={`${layout.stackXs} ${styles.field}`}>
          <span className={typography.small}>{t(`bills.field.${field}`)}</span>
          <select
            aria-label={t(`bills.field.${field}`)}
            value={mapping.columns[field] ?? ''}
            aria-invalid={wrong === field}
            onChange={(event) => onChange({ ...mapping, columns: withColumn(mapping.columns, field, event.currentTarget.value) })}
          >
            <option value="">{t('bills.upload.no_column')}</option>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          {wrong === field && (
            <span className={typography.note}>{t(field === 'amount' ? 'bills.upload.needs_amount' : 'bills.upload.needs_column')}</span>
          )}
        </label>
      ))}
      <div className={`${layout.stackXs} ${styles.field}`}>
        <span className={typography.small} aria-hidden="true">
          {t('bills.upload.decimal')}
        </span>
        <span>
          <Segments
            label={t('bills.upload.decimal')}
            value={mapping.decimal}
            options={[
              { value: '.', label: '1,234.56' },
              { value: ',', label: '1.234,56' },
            ]}
            onChange={(decimal) => onChange({ ...mapping, decimal })}
          />
        </span>
      </div>
    </fieldset>
  );
}

function withColumn(columns: ColumnsOfFields, field: (typeof mappedFields)[number], column: string): ColumnsOfFields {
  const { [field]: _before, ...others } = columns;
  return column === '' ? others : { ...others, [field]: column };
}

const hints: Partial<Record<(typeof mappedFields)[number], RegExp>> = {
  date: /date|day|time|日期|时间/i,
  model: /model|sku|模型/i,
  amount: /cost|amount|usd|price|charge|费用|金额/i,
  request_id: /request.?id|generation/i,
};

/** Probable columns, each once; the user sees and corrects them. */
function guessOf(columns: readonly string[]): ColumnsOfFields {
  const guess: ColumnsOfFields = {};
  const taken = new Set<string>();
  for (const [field, hint] of Object.entries(hints)) {
    const found = columns.find((column) => hint.test(column) && !taken.has(column));
    if (found === undefined) continue;
    taken.add(found);
    Object.assign(guess, { [field]: found });
  }
  return guess;
}
