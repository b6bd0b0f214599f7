import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { OnlineButton, useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { focusFirstError } from '#pwa/ui/form/field-errors.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { PanelSection, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { RecordHistoryFold } from './audit/record-history-fold.tsx';
import { PanelParts, usePanelPart } from './panel-parts.tsx';
import styles from './record-panel.module.css';
import type { EditableRecord, EditedRecord } from './use-edited-record.ts';

/** What the list hands to the panel of the record that is open. */
export interface OpenRecordWays {
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onRemove: () => void;
}

/** Describes the difference between two states of a record. */
export interface RecordComparison<Row, Field extends string> {
  /** Returns the fields that another user changed. */
  changesBetween: (before: Row, theirs: Row) => readonly Field[];
  nameOf: (field: Field) => string;
  show: (field: Field, record: Row) => string;
}

/** Button that switches a record on or off, next to those that save and delete it. */
interface RecordToggle {
  label: string;
  isPending: boolean;
  onToggle: () => void;
}

interface RecordPanelProps<
  Row extends EditableRecord,
  Values extends object,
  Body extends object,
  Field extends string,
> extends OpenRecordWays {
  /** Of the form in the page. */
  formId: string;
  edited: EditedRecord<Row, Values, Body>;
  comparison: RecordComparison<Row, Field>;
  /** How the record stands now, above the form. */
  standing: ReactNode;
  /** The heading of the form. */
  heading: string;
  /** The fields of the form. */
  children: ReactNode;
  /** Fields of the same form that are a part of their own; absent: it has none. The texts `limits` are loaded. */
  limits?: ReactNode;
  /** Absent: it cannot be switched. */
  toggle: RecordToggle | undefined;
  /** Of the button that removes it, if it is not deleted. */
  removeLabel?: string;
  /** `<kind>:<id>` in the audit log. */
  history: string;
  isReadOnly?: boolean;
  /** A file of settings as code manages the record, which is deleted there. */
  isManaged?: boolean;
}

/** One record next to its list: its state, other users' changes meanwhile, and its form. */
export function RecordPanel<Row extends EditableRecord, Values extends object, Body extends object, Field extends string>({
  formId,
  edited,
  comparison,
  standing,
  heading,
  children,
  limits,
  toggle,
  removeLabel,
  history,
  isReadOnly = false,
  isManaged = false,
  onRemove,
  ...ways
}: RecordPanelProps<Row, Values, Body, Field>) {
  const { form, base, save, isSaving, refusal } = edited;
  const isDirty = form.isDirty();
  const parts = usePanelPart(form.errors);
  const isDetails = parts.part === 'details';
  const submit = form.onSubmit(
    () => save(),
    () => focusFirstError(formId),
  );
  return (
    <SidePanel
      {...ways}
      isTall
      title={base.name}
      note={`#${base.id}`}
      onSave={() => submit()}
      foot={
        <PanelFoot
          formId={formId}
          isReadOnly={isReadOnly}
          isDirty={isDirty}
          isSaving={isSaving}
          toggle={toggle}
          removeLabel={removeLabel}
          onRemove={isManaged ? undefined : onRemove}
        />
      }
    >
      {limits !== undefined && <PanelParts {...parts} />}
      {isDetails && standing}
      <RecordConflict edited={edited} comparison={comparison} />
      {!isReadOnly && (
        <FormPart title={isDetails ? heading : undefined}>
          <form id={formId} className={styles.form} noValidate onSubmit={submit}>
            {isDetails ? <Later>{children}</Later> : limits}
            <Refusal text={refusal} />
          </form>
        </FormPart>
      )}
      <Later>{isDetails && <RecordHistoryFold object={history} />}</Later>
      <UnsavedEdits when={!isReadOnly && isDirty} />
    </SidePanel>
  );
}

function FormPart({ title, children }: { title: string | undefined; children: ReactNode }) {
  return title === undefined ? <div>{children}</div> : <PanelSection title={title}>{children}</PanelSection>;
}

/** Another user saved this record while the form was open. Fields not edited here retain their value. */
function RecordConflict<Row extends EditableRecord, Values extends object, Body extends object, Field extends string>({
  edited: { base, theirs, changes, isSaving, save, start },
  comparison: { changesBetween, nameOf, show },
}: Pick<RecordPanelProps<Row, Values, Body, Field>, 'edited' | 'comparison'>) {
  if (theirs === undefined) return null;
  const touched = changes();
  const mine = { ...base, ...touched };
  return (
    <div className={styles.conflict}>
      <RevisionConflict
        rows={changesBetween(base, theirs).map((field) => ({
          field,
          name: nameOf(field),
          base: show(field, base),
          theirs: show(field, theirs),
          ...(field in touched ? { mine: show(field, mine) } : {}),
        }))}
        isBusy={isSaving}
        onReload={() => start(theirs)}
        onKeepMine={() => save(theirs)}
      />
    </div>
  );
}

interface PanelFootProps {
  formId: string;
  isReadOnly: boolean;
  isDirty: boolean;
  isSaving: boolean;
  toggle: RecordToggle | undefined;
  removeLabel: string | undefined;
  onRemove: (() => void) | undefined;
}

function PanelFoot({ formId, isReadOnly, isDirty, isSaving, toggle, removeLabel, onRemove }: PanelFootProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const isOnlyRemoved = isReadOnly && toggle === undefined;
  if (!isOnline && !isOnlyRemoved) {
    // Several such labels do not fit next to each other.
    return (
      <Button disabled leftSection={<Icon name="unlinked" />}>
        {needs(t('editing.edit'))}
      </Button>
    );
  }
  return (
    <>
      {onRemove !== undefined && (
        <OnlineButton variant="subtle" data-danger onClick={onRemove} label={removeLabel ?? t('common.action.delete')} />
      )}
      <span className={styles.space} />
      {toggle !== undefined && <OnlineButton loading={toggle.isPending} onClick={toggle.onToggle} label={toggle.label} />}
      {!isReadOnly && (
        <OnlineButton variant="filled" type="submit" form={formId} loading={isSaving} disabled={!isDirty} label={t('common.action.save')} />
      )}
    </>
  );
}
