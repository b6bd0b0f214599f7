import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Channel, channelApi } from '#shared/channels.ts';
import { Role } from '#shared/roles.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { showOnField } from '#pwa/ui/form/field-errors.ts';
import { Later } from '#pwa/ui/frame/later.tsx';
import { RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import type { EditorProps } from './channel-editor.tsx';
import { ChannelFields } from './channel-fields.tsx';
import {
  asksKeyAgain,
  changedFields,
  draftFields,
  channelProblems,
  editBody,
  emptyValues,
  endsInVersion,
  fieldsOf,
  keysOf,
  textOf,
  valuesOf,
} from './channel-values.ts';
import styles from './channel-form.module.css';
import { ChannelHead } from './channel-head.tsx';
import { DraftTestLine } from './draft-test-line.tsx';
import { channelQuery, modelsByTypeQuery } from './queries.ts';
import { useDraftTest } from './use-draft-test.ts';
import { useTestedCreation } from './use-tested-creation.ts';

/** Undefined: a new channel. */
type FormProps = EditorProps & { channel: Channel | undefined };

export function ChannelForm({ channel, actions, tests, figures, onCommand, onClose, onCreated, onPrevious, onNext }: FormProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isPhone = useIsPhone();
  const queryClient = useQueryClient();
  const models = useQuery(modelsByTypeQuery);
  const isNew = channel === undefined;
  const role = useStoredUser()?.role ?? Role.guest;
  // What the form started from; moves on with every save.
  const [base, setBase] = useState(channel);
  const [theirs, setTheirs] = useState<Channel>();
  const [isDone, setDone] = useState(false);
  const [asksVersion, setAsksVersion] = useState(false);
  const stored = base === undefined ? undefined : valuesOf(base);
  const before = stored ?? emptyValues;
  const form = useForm({
    initialValues: channel === undefined ? emptyValues : valuesOf(channel),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(channelProblems(values, { isNew, asksKey: asksKeyAgain(stored, values, role) })).map(([field, problem]) => [
          field,
          t(`channels.problem.${problem}`),
        ]),
      ),
  });
  const changed = changedFields(before, form.values);
  const isDirty = changed.length > 0 && !isDone;

  function start(from: Channel): void {
    setBase(from);
    setTheirs(undefined);
    form.setValues(valuesOf(from));
    form.clearErrors();
  }
  // Changed elsewhere while nothing is typed here: show that.
  useEffect(() => {
    if (channel !== undefined && base !== undefined && channel.revision > base.revision && changed.length === 0) start(channel);
  });

  const create = useMutation({
    mutationFn: () => call(channelApi.create, { body: fieldsOf(form.getValues()) }),
    meta: { quiet: true },
    onSuccess: async (ids) => {
      // The guard has to know before the panel closes.
      flushSync(() => setDone(true));
      onCreated(ids);
      toastSuccess(t('channels.created', { count: ids.length }));
      await queryClient.invalidateQueries({ queryKey: ['channels'] });
    },
    onError: handleError,
  });
  const edit = useMutation({
    mutationFn: ({ from, revision }: { from: Channel; revision: number }) =>
      call(channelApi.edit, { body: editBody(from, form.getValues(), revision) }),
    meta: { quiet: true },
    onSuccess: async (saved) => {
      start(saved);
      queryClient.setQueryData(channelQuery(saved.id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: ['channels'] });
    },
    onError: (error) => {
      const current = failureOf(error).code === 'revision_conflict' ? Channel.safeParse(failureOf(error).data) : undefined;
      if (current?.success !== true || base === undefined) return handleError(error);
      // Its state or figures moved, nothing that this form holds: the edit still means the same.
      if (changedFields(valuesOf(base), valuesOf(current.data)).length === 0) {
        setBase(current.data);
        edit.mutate({ from: base, revision: current.data.revision });
      } else setTheirs(current.data);
    },
  });
  const draft = useDraftTest(form.values, { channelId: base?.id, proposed: models.data?.[form.values.type] ?? [] });
  const creation = useTestedCreation({ draft, content: () => JSON.stringify(form.getValues()), create: () => create.mutate() });
  const isSaving = create.isPending || edit.isPending || creation.isWaiting;

  function handleError(error: unknown): void {
    const failure = failureOf(error);
    const field = failure.field === 'group' ? 'groups' : failure.field;
    if (!showOnField(form, { message: failure.message, field })) toastFailure(failure);
  }
  function send(): void {
    if (base === undefined) void creation.start();
    else edit.mutate({ from: base, revision: base.revision });
  }
  function handleSubmit(): void {
    if (!isOnline || isSaving) return;
    if (form.validate().hasErrors) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#channel-form [aria-invalid=true]')?.focus());
      return;
    }
    if (!isNew && changed.length === 0) onClose();
    else if (endsInVersion(form.values) && changed.includes('base_url')) setAsksVersion(true);
    else send();
  }

  const count = keysOf(form.values.key).length;
  const saveName = isNew
    ? count > 1
      ? t('channels.editor.create_many', { count })
      : t('channels.editor.create')
    : t('common.action.save');
  const fields = (
    <ChannelFields
      form={form}
      isNew={isNew}
      asksKey={asksKeyAgain(stored, form.values, role)}
      before={isNew ? undefined : before}
      changed={isNew ? [] : changed}
      channelId={base?.id}
      modelsByType={models.data ?? {}}
    />
  );
  return (
    <SidePanel
      title={isNew ? t('channels.editor.new') : (base?.name ?? '')}
      {...(base === undefined ? {} : { note: `#${base.id}` })}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={handleSubmit}
      takesFocus={isNew}
      foot={
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
            form="channel-form"
            loading={isSaving}
            disabled={!isNew && changed.length === 0}
            label={saveName}
          />
        </>
      }
    >
      <UnsavedEdits when={isDirty} />
      {theirs !== undefined && base !== undefined && (
        <RevisionConflict
          rows={changedFields(before, valuesOf(theirs)).map((field) => ({
            field,
            name: t(`channels.field.${field}`),
            base: textOf(before, field),
            theirs: textOf(valuesOf(theirs), field),
            ...(changed.includes(field) ? { mine: textOf(form.values, field) } : {}),
          }))}
          isBusy={isSaving}
          onKeepMine={() => edit.mutate({ from: base, revision: theirs.revision })}
          onReload={() => start(theirs)}
        />
      )}
      {channel !== undefined && <ChannelHead channel={channel} actions={actions} tests={tests} figures={figures} onCommand={onCommand} />}
      <form
        id="channel-form"
        noValidate
        className={styles.form}
        data-below={!isNew || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          handleSubmit();
        }}
      >
        {isNew ? fields : <Later>{fields}</Later>}
        {(isNew || changed.some((field) => draftFields.has(field))) && (
          <DraftTestLine test={draft} onTest={() => void draft.run()} onSkip={isNew ? creation.skip : undefined} />
        )}
      </form>
      <ConfirmDialog
        opened={asksVersion}
        title={t('channels.version.title')}
        text={t('channels.version.text')}
        confirmLabel={t('channels.version.confirm')}
        onConfirm={() => {
          setAsksVersion(false);
          send();
        }}
        onCancel={() => setAsksVersion(false)}
      />
    </SidePanel>
  );
}
