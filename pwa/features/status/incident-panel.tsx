import { Button, Select, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { IncidentState, type StatusIncident, statusLimits } from '#shared/status-page.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { focusFirstError, showOnField } from '#pwa/ui/form/field-errors.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { Updates } from './incident-list.tsx';
import { incidentBody, type IncidentValues, incidentValues, updateBody, type UpdateValues } from './incident-values.ts';
import { useAddUpdate, useCreateIncident, useEditIncident, useRemoveIncident } from './queries.ts';
import { incidentSentence, incidentTime, incidentTitle } from './status-words.ts';
import styles from './status.module.css';

const formId = 'status-incident';

interface IncidentPanelProps {
  /** Undefined: a new one is written. */
  incident: StatusIncident | undefined;
  /** Names to choose from. */
  models: readonly string[];
  mayEdit: boolean;
  onOpen: (id: number) => void;
  onClose: () => void;
}

/** One incident with its updates. Administrators write, edit, update and delete. */
export function IncidentPanel({ incident, models, mayEdit, onOpen, onClose }: IncidentPanelProps) {
  const [shown, setShown] = useState<'edit' | 'update'>();
  if (incident === undefined) return <WritePanel models={models} onOpen={onOpen} onClose={onClose} />;
  if (shown === 'edit') return <EditPanel incident={incident} models={models} onClose={() => setShown(undefined)} />;
  if (shown === 'update') return <UpdatePanel incident={incident} onClose={() => setShown(undefined)} />;
  return <ReadPanel incident={incident} mayEdit={mayEdit} onShow={setShown} onClose={onClose} />;
}

interface ReadPanelProps {
  incident: StatusIncident;
  mayEdit: boolean;
  onShow: (what: 'edit' | 'update') => void;
  onClose: () => void;
}

function ReadPanel({ incident, mayEdit, onShow, onClose }: ReadPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveIncident();
  const sentence = incidentSentence(t, incident, format);
  const isAutomatic = incident.kind === 'automatic';
  const isOpen = incident.ended_at === undefined;
  const title = incidentTitle(t, incident, format.language);
  return (
    <SidePanel
      title={title}
      onClose={onClose}
      foot={
        mayEdit && (
          <>
            {(!isAutomatic || !isOpen) && (
              <OnlineButton variant="subtle" data-danger onClick={() => setAsking(true)} label={t('common.action.delete')} />
            )}
            {!isAutomatic && <OnlineButton onClick={() => onShow('edit')} label={t('status.action.edit')} />}
            <OnlineButton variant="filled" onClick={() => onShow('update')} label={t('status.action.update')} />
          </>
        )
      }
    >
      <div className={layout.stackLg}>
        <span className={typography.note}>{incidentTime(t, incident, format)}</span>
        <p className={styles.text}>
          {incident.models.length === 0
            ? t('status.incident.all_models')
            : t('status.incident.models', { models: incident.models.join(', ') })}
        </p>
        {sentence !== '' && <p>{sentence}</p>}
        <Updates updates={incident.updates} />
      </div>
      <ConfirmDialog
        opened={isAsking}
        isDanger
        title={t('status.remove.title', { title })}
        text={t('status.remove.text')}
        confirmLabel={t('common.action.delete')}
        onConfirm={async () => {
          await remove.mutateAsync(incident.id);
          onClose();
        }}
        onCancel={() => setAsking(false)}
      />
    </SidePanel>
  );
}

const now = (): number => Date.now() / 1000;
const newUpdate: UpdateValues = { state: 'investigating', text_zh: '', text_en: '' };

function WritePanel({ models, onOpen, onClose }: Pick<IncidentPanelProps, 'models' | 'onOpen' | 'onClose'>) {
  const { t } = useTranslation();
  const [isSaved, setSaved] = useState(false);
  const create = useCreateIncident();
  const form = useForm<IncidentValues & UpdateValues>({ initialValues: { ...incidentValues(undefined, now()), ...newUpdate } });
  const handleSubmit = form.onSubmit((values) =>
    create.mutate(
      { ...incidentBody(values), update: updateBody(values) },
      {
        onSuccess: ({ id }) => {
          flushSync(() => setSaved(true));
          onOpen(id);
        },
        onError: (error) => {
          showOnField(form, failureOf(error));
          focusFirstError(formId);
        },
      },
    ),
  );
  const handleKind = (kind: IncidentValues['kind']): void =>
    form.setValues({ kind, state: kind === 'maintenance' ? 'planned' : 'investigating' });
  return (
    <SidePanel
      title={t('status.action.new')}
      takesFocus
      isTall
      onClose={onClose}
      foot={<Submit label={t('status.action.publish')} isBusy={create.isPending} onCancel={onClose} />}
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className={layout.stackMd}>
        <IncidentFields form={form} models={models} onKind={handleKind} />
        <UpdateFields form={form} states={form.values.kind === 'maintenance' ? IncidentState.options : writtenStates} />
        <Refusal text={refusalText(create.error, form)} />
      </form>
      <UnsavedEdits when={form.isDirty() && !isSaved} />
    </SidePanel>
  );
}

const writtenStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
/** Automatic incidents end by the measures. */
const automaticStates = ['investigating', 'identified', 'monitoring'] as const;

function EditPanel({ incident, models, onClose }: { incident: StatusIncident; models: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation();
  const [base] = useState(incident);
  const [isSaved, setSaved] = useState(false);
  const edit = useEditIncident();
  const form = useForm<IncidentValues>({ initialValues: incidentValues(base, now()) });
  const handleSubmit = form.onSubmit((values) =>
    edit.mutate(
      { id: base.id, revision: base.revision, ...incidentBody(values) },
      {
        onSuccess: () => {
          flushSync(() => setSaved(true));
          onClose();
        },
        onError: (error) => {
          showOnField(form, failureOf(error));
          focusFirstError(formId);
        },
      },
    ),
  );
  return (
    <SidePanel
      title={t('status.edit.title')}
      note={`#${base.id}`}
      takesFocus
      isTall
      onClose={onClose}
      foot={<Submit label={t('common.action.save')} isBusy={edit.isPending} onCancel={onClose} />}
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className={layout.stackMd}>
        <IncidentFields form={form} models={models} onKind={(kind) => form.setFieldValue('kind', kind)} />
        <Refusal text={refusalText(edit.error, form)} />
      </form>
      <UnsavedEdits when={form.isDirty() && !isSaved} />
    </SidePanel>
  );
}

function UpdatePanel({ incident, onClose }: { incident: StatusIncident; onClose: () => void }) {
  const { t } = useTranslation();
  const [isSaved, setSaved] = useState(false);
  const add = useAddUpdate();
  const form = useForm<UpdateValues>({
    initialValues: { ...newUpdate, state: incident.state === 'resolved' ? 'monitoring' : incident.state },
  });
  const { kind, id, revision } = incident;
  const states = kind === 'automatic' ? automaticStates : kind === 'maintenance' ? IncidentState.options : writtenStates;
  const handleSubmit = form.onSubmit((values) =>
    add.mutate(
      { id, revision, ...updateBody(values) },
      {
        onSuccess: () => {
          flushSync(() => setSaved(true));
          onClose();
        },
        onError: (error) => {
          showOnField(form, failureOf(error));
          focusFirstError(formId);
        },
      },
    ),
  );
  return (
    <SidePanel
      title={t('status.action.update')}
      note={`#${id}`}
      takesFocus
      onClose={onClose}
      foot={<Submit label={t('status.action.publish')} isBusy={add.isPending} onCancel={onClose} />}
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className={layout.stackMd}>
        <UpdateFields form={form} states={states} />
        <Refusal text={refusalText(add.error, form)} />
      </form>
      <UnsavedEdits when={form.isDirty() && !isSaved} />
    </SidePanel>
  );
}

function Submit({ label, isBusy, onCancel }: { label: string; isBusy: boolean; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <Button variant="subtle" onClick={onCancel}>
        {t('common.action.cancel')}
      </Button>
      <OnlineButton variant="filled" type="submit" form={formId} loading={isBusy} label={label} />
    </>
  );
}

/** A form with these fields, whatever others it has. */
interface FieldsOf<Values> {
  values: Values;
  getInputProps(field: keyof Values & string): object;
  errors: Record<string, unknown>;
}

interface IncidentFieldsProps {
  form: FieldsOf<IncidentValues>;
  models: readonly string[];
  onKind: (kind: IncidentValues['kind']) => void;
}

function IncidentFields({ form, models, onKind }: IncidentFieldsProps) {
  const { t } = useTranslation();
  const { kind } = form.values;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <Segments
        label={t('status.field.kind')}
        value={kind}
        options={(['written', 'maintenance'] as const).map((value) => ({ value, label: t(`status.kind_of_incident.${value}`) }))}
        onChange={onKind}
      />
      <Texts errors={form.errors} field="title">
        <TextInput label={t('status.field.title_zh')} maxLength={statusLimits.title} {...form.getInputProps('title_zh')} />
        <TextInput label={t('status.field.title_en')} maxLength={statusLimits.title} {...form.getInputProps('title_en')} />
      </Texts>
      <TagsInput
        label={t('status.field.models')}
        description={t('status.field.models_hint')}
        data={[...models]}
        maxTags={statusLimits.models}
        {...form.getInputProps('models')}
      />
      {kind === 'maintenance' && (
        <>
          <TextInput type="datetime-local" label={t('status.field.from')} description={zone} {...form.getInputProps('planned_from')} />
          <TextInput type="datetime-local" label={t('status.field.until')} description={zone} {...form.getInputProps('planned_until')} />
        </>
      )}
    </>
  );
}

function UpdateFields({ form, states }: { form: FieldsOf<UpdateValues>; states: readonly UpdateValues['state'][] }) {
  const { t } = useTranslation();
  return (
    <>
      <Select
        label={t('status.field.state')}
        data={states.map((value) => ({ value, label: t(`status.update.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps('state')}
      />
      <Texts errors={form.errors} field="text">
        <TextArea
          label={t('status.field.text_zh')}
          minRows={2}
          maxRows={8}
          maxLength={statusLimits.text}
          {...form.getInputProps('text_zh')}
        />
        <TextArea
          label={t('status.field.text_en')}
          minRows={2}
          maxRows={8}
          maxLength={statusLimits.text}
          {...form.getInputProps('text_en')}
        />
      </Texts>
    </>
  );
}

/** Fields of a text in both languages, of which one is enough. */
function Texts({ errors, field, children }: { errors: Record<string, unknown>; field: string; children: ReactNode }) {
  const { t } = useTranslation();
  const error = errors[field];
  return (
    <>
      {children}
      <p className={typography.note}>{t('status.field.one_language')}</p>
      <Refusal text={typeof error === 'string' ? error : undefined} />
    </>
  );
}
