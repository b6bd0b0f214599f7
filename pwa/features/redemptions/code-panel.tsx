import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { PanelSection, SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { useEditCode, useToggleCode } from './code-actions.ts';
import { CodeFields, focusFirstError, useCodeForm } from './code-fields.tsx';
import { type CodeValues, comparedFields, editBody, isUnchanged, valuesOf } from './code-form.ts';
import { wholeCode } from './code-key.ts';
import { CodeMark, useExpiryText, verbOf } from './code-labels.tsx';
import styles from './redemptions.module.css';

const formId = 'redemption';

interface CodePanelProps {
  code: Redemption;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onRemove: () => void;
}

/** One code: how it stands, and, while it can be redeemed, the form that changes it. */
export function CodePanel({ code, onClose, onPrevious, onNext, onRemove }: CodePanelProps) {
  const { t } = useTranslation();
  const toggle = useToggleCode();
  const edit = useEditCode();
  // The record that the form's changes are measured against; the list beside it goes on being refreshed.
  const [before, setBefore] = useState(code);
  const [theirs, setTheirs] = useState<Redemption | null>(null);
  const form = useCodeForm(valuesOf(before), () => before);
  const isDirty = form.isDirty();
  const isEditable = code.status === RedemptionStatus.unused;
  const failure = edit.error === null ? null : failureOf(edit.error);
  const isAtField = failure?.field !== undefined && failure.field in form.errors;
  const verb = verbOf(code);

  function startFrom(record: Redemption): void {
    setBefore(record);
    setTheirs(null);
    form.setInitialValues(valuesOf(record));
    form.setValues(valuesOf(record));
    form.resetDirty(valuesOf(record));
    form.clearErrors();
  }
  useEffect(() => {
    // An untouched form follows the record.
    if (!isDirty && theirs === null && code.revision > before.revision) startFrom(code);
  });

  function save(values: CodeValues, revision?: number): void {
    const body = editBody(values, before, revision);
    if (isUnchanged(body)) return;
    edit.mutate(body, {
      onSuccess: startFrom,
      onError: (error) => {
        const { code: reason, data } = failureOf(error);
        const current = reason === 'revision_conflict' ? Redemption.safeParse(data) : undefined;
        if (current?.success === true) setTheirs(current.data);
        else showOnField(form, failureOf(error));
      },
    });
  }
  const submit = form.onSubmit((values) => save(values), focusFirstError);

  return (
    <SidePanel
      title={before.name}
      note={`#${code.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={() => submit()}
      foot={
        <>
          <OnlineButton variant="subtle" data-danger onClick={onRemove} label={t('common.action.delete')} />
          <span className={styles.space} />
          {verb !== undefined && (
            <OnlineButton loading={toggle.isPending} onClick={() => toggle.mutate(code)} label={t(`redemptions.action.${verb}`)} />
          )}
          {isEditable && (
            <OnlineButton
              variant="filled"
              type="submit"
              form={formId}
              loading={edit.isPending}
              disabled={!isDirty}
              label={t('common.action.save')}
            />
          )}
        </>
      }
    >
      <Standing code={code} />
      {theirs !== null && (
        <Conflict
          before={before}
          theirs={theirs}
          values={form.values}
          isBusy={edit.isPending}
          onReload={() => startFrom(theirs)}
          onKeepMine={() => save(form.values, theirs.revision)}
        />
      )}
      {isEditable && (
        <PanelSection title={t('redemptions.panel.edit')}>
          <form id={formId} className={styles.form} noValidate onSubmit={submit}>
            <Later>
              <CodeFields form={form} isNew={false} />
            </Later>
            {failure !== null && !isAtField && theirs === null && (
              <p role="alert">
                <StatusMark status="failed">{failure.message}</StatusMark>
              </p>
            )}
          </form>
        </PanelSection>
      )}
      <UnsavedEdits when={isEditable && isDirty} />
    </SidePanel>
  );
}

/** Status, code and who has redeemed it, above the form. */
function Standing({ code }: { code: Redemption }) {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  const key = wholeCode(code);
  return (
    <div className={styles.standing}>
      <CodeMark code={code} />
      <SummaryList
        items={[
          {
            name: t('redemptions.panel.key'),
            value:
              key === undefined ? (
                <span className={styles.key}>{code.key === '' ? t('redemptions.key_lost') : code.key}</span>
              ) : (
                <CopyText mono text={key} label={t('redemptions.action.copy_named', { name: code.name, id: code.id })} />
              ),
          },
          { name: t('redemptions.column.quota'), value: format.quota(code.quota) },
          { name: t('redemptions.column.created'), value: format.dateTime(code.created_time) },
          { name: t('redemptions.column.expiry'), value: expiry(code.expired_time) },
          ...(code.used_user_id === 0
            ? []
            : [
                {
                  name: t('redemptions.column.used_by'),
                  value: (
                    <Link to="/user/edit/$id" params={{ id: String(code.used_user_id) }}>
                      {t('redemptions.user', { id: code.used_user_id })}
                    </Link>
                  ),
                },
                { name: t('redemptions.column.redeemed'), value: format.dateTime(code.redeemed_time) },
              ]),
        ]}
      />
    </div>
  );
}

interface ConflictProps {
  before: Redemption;
  theirs: Redemption;
  values: CodeValues;
  isBusy: boolean;
  onReload: () => void;
  /** Saves what was entered here on top of theirs; what was not touched here stays as they set it. */
  onKeepMine: () => void;
}

/** Somebody else saved this code while the form was open. */
function Conflict({ before, theirs, values, isBusy, onReload, onKeepMine }: ConflictProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  const touched = editBody(values, before);
  const mine = { ...before, ...touched };
  const show = (field: (typeof comparedFields)[number], code: Pick<Redemption, (typeof comparedFields)[number]>): string => {
    if (field === 'quota') return format.quota(code.quota);
    if (field === 'expired_time') return expiry(code.expired_time);
    if (field === 'status')
      return t(code.status === RedemptionStatus.disabled ? 'redemptions.status.disabled' : 'redemptions.status.unused');
    return code.name;
  };
  return (
    <div className={styles.conflict}>
      <RevisionConflict
        rows={comparedFields
          .filter((field) => before[field] !== theirs[field])
          .map((field) => ({
            field,
            name: t(`redemptions.column.${field === 'expired_time' ? 'expiry' : field}`),
            base: show(field, before),
            theirs: show(field, theirs),
            ...(field in touched ? { mine: show(field, mine) } : {}),
          }))}
        isBusy={isBusy}
        onReload={onReload}
        onKeepMine={onKeepMine}
      />
    </div>
  );
}
