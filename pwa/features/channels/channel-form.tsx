import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { RecordHistoryFold } from '#pwa/records/audit/record-history-fold.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { focusFirstError } from '#pwa/ui/form/field-errors.ts';
import { Later } from '#pwa/ui/frame/later.tsx';
import { RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import type { EditorProps } from './channel-editor.tsx';
import { ChannelFields } from './channel-fields.tsx';
import { changedFields, draftFields, endsInVersion, keysOf, textOf, valuesOf } from './channel-values.ts';
import styles from './channel-form.module.css';
import { ChannelHead } from './channel-head.tsx';
import { isTested } from './channel-summary.ts';
import { DraftTestLine } from './draft-test-line.tsx';
import { modelsByTypeQuery } from './queries.ts';
import { type EditedChannel, useChannelForm } from './use-channel-form.ts';
import { useDraftTest } from './use-draft-test.ts';
import { useSaveChannel } from './use-save-channel.ts';
import { useTestedCreation } from './use-tested-creation.ts';

const formId = 'channel-form';

/** Undefined: a new channel. */
type FormProps = EditorProps & { channel: Channel | undefined };

export function ChannelForm({ channel, controls, onClose, onCreated, onPrevious, onNext }: FormProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const modelsByType = useQuery(modelsByTypeQuery).data ?? {};
  const [isVersionOpen, setVersionOpen] = useState(false);
  const edited = useChannelForm(channel);
  const { form, base, isNew, changed } = edited;
  const save = useSaveChannel(edited, onCreated);
  const proposed = modelsByType[form.values.type] ?? [];
  const draft = useDraftTest(form.values, { channelId: base?.id, proposed });
  const creation = useTestedCreation({ draft, content: () => JSON.stringify(form.getValues()), create: save.create });
  const file = base?.managed_by;
  const isSaving = save.isPending || creation.isWaiting;
  // Models that the form filled in by itself are no edit of the user.
  const isProposal = isNew && form.values.models.join() === proposed.join();
  const isDirty = changed.some((field) => field !== 'models' || !isProposal) && !save.isCreated;
  const isUntested = !isTested({ type: form.values.type, models: form.values.models.join(',') });

  function send(): void {
    if (isNew && isUntested) save.create();
    else if (isNew) void creation.start();
    else save.edit();
  }
  function handleSubmit(): void {
    if (!isOnline || isSaving || file !== undefined) return;
    if (form.validate().hasErrors) focusFirstError(formId);
    else if (!isNew && changed.length === 0) onClose();
    else if (endsInVersion(form.values) && changed.includes('base_url')) setVersionOpen(true);
    else send();
  }

  const fields = <ChannelFields edited={edited} modelsByType={modelsByType} />;
  return (
    <SidePanel
      isTall
      title={isNew ? t('channel.editor.new') : (base?.name ?? '')}
      {...(base === undefined ? {} : { note: `#${base.id}` })}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={handleSubmit}
      takesFocus={isNew}
      foot={<FormFoot edited={edited} isDirty={isDirty} isSaving={isSaving} onClose={onClose} />}
    >
      <UnsavedEdits when={isDirty && !controls.isOpenGone} />
      <ChannelConflict edited={edited} isBusy={isSaving} onKeepMine={save.edit} />
      {channel !== undefined && <ChannelHead channel={channel} controls={controls} />}
      <form
        id={formId}
        noValidate
        className={styles.form}
        data-below={!isNew || undefined}
        onSubmit={(event) => (event.preventDefault(), handleSubmit())}
      >
        {isNew ? fields : <Later>{fields}</Later>}
        {isUntested && isNew && <p className={typography.secondary}>{t('channels.test.orders')}</p>}
        {!isUntested && (isNew || changed.some((field) => draftFields.has(field))) && (
          <DraftTestLine test={draft} onTest={() => void draft.run()} onSkip={isNew ? creation.skip : undefined} />
        )}
      </form>
      {channel !== undefined && (
        <Later>
          <RecordHistoryFold object={`channel:${channel.id}`} />
        </Later>
      )}
      <ConfirmDialog
        opened={isVersionOpen}
        title={t('channel.version.title')}
        text={t('channel.version.text')}
        confirmLabel={t('channel.version.confirm')}
        onConfirm={() => {
          setVersionOpen(false);
          send();
        }}
        onCancel={() => setVersionOpen(false)}
      />
    </SidePanel>
  );
}

interface FormFootProps {
  edited: EditedChannel;
  isDirty: boolean;
  isSaving: boolean;
  onClose: () => void;
}

function FormFoot({ edited: { form, base, isNew, changed }, isDirty, isSaving, onClose }: FormFootProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const keyCount = keysOf(form.values.key).length;
  const createLabel = keyCount > 1 ? t('channel.editor.create_many', { count: keyCount }) : t('channel.editor.create');
  if (base?.managed_by !== undefined) return <Button onClick={onClose}>{t('common.action.close')}</Button>;
  return (
    <>
      {!isPhone && isDirty && (
        <span className={styles.unsaved}>{isNew ? t('editing.unsaved_new') : t('editing.unsaved', { count: changed.length })}</span>
      )}
      <Button variant="subtle" onClick={onClose}>
        {t('common.action.cancel')}
      </Button>
      <OnlineButton
        variant="filled"
        type="submit"
        form={formId}
        loading={isSaving}
        disabled={!isNew && changed.length === 0}
        label={isNew ? createLabel : t('common.action.save')}
      />
    </>
  );
}

interface ChannelConflictProps {
  edited: EditedChannel;
  isBusy: boolean;
  onKeepMine: (newest: Channel) => void;
}

/** What others saved while this form was open. */
function ChannelConflict({ edited, isBusy, onKeepMine }: ChannelConflictProps) {
  const { t } = useTranslation();
  const { form, theirs, before, changed, start } = edited;
  if (theirs === undefined) return null;
  const newest = valuesOf(theirs);
  return (
    <RevisionConflict
      rows={changedFields(before, newest).map((field) => ({
        field,
        name: t(`channel.field.${field}`),
        base: textOf(before, field),
        theirs: textOf(newest, field),
        ...(changed.includes(field) ? { mine: textOf(form.values, field) } : {}),
      }))}
      isBusy={isBusy}
      onKeepMine={() => onKeepMine(theirs)}
      onReload={() => start(theirs)}
    />
  );
}
