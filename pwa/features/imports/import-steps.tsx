import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportDetails } from '#shared/imports.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Status } from '#pwa/ui/controls/status-mark.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { ConflictChoice } from './conflict-choice.tsx';
import { ImportProgress } from './import-progress.tsx';
import styles from './imports.module.css';
import { ProofView } from './proof-view.tsx';
import { isOpen, usePauseImport, usePlanImport, useStartImport, useStopImport } from './queries.ts';
import { ReportView } from './report-view.tsx';
import { Step } from './step.tsx';
import { UploadProgress } from './upload-progress.tsx';

interface ImportStepsProps {
  run: ImportDetails;
  partBytes: number;
  /** Of the server, unix seconds. */
  at: number;
}

/** Source, dry run, import and proof of one import, each with what can be done next. */
export function ImportSteps({ run, partBytes, at }: ImportStepsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { state } = run;
  const hasPlan = run.plan !== undefined;
  const hasStarted = run.has_written;
  return (
    <div>
      <SourceStep run={run} />
      {state === 'draft' && <UploadProgress run={run} partBytes={partBytes} />}
      <Step
        title={t('imports.step.plan')}
        status={state === 'planning' ? 'running' : hasPlan ? 'on' : failedIn(run, !hasPlan)}
        text={planText(run, t)}
        actions={<PlanActions run={run} />}
      />
      {state === 'planning' && <ImportProgress run={run} at={at} />}
      {run.plan !== undefined && state === 'planned' && (
        <>
          <ConflictChoice run={run} plan={run.plan} />
          <ReportView report={run.plan} name={`import-${run.id}-dry-run`} />
        </>
      )}
      <Step
        title={t('imports.step.rows')}
        status={state === 'running' ? 'running' : state === 'paused' ? 'off' : state === 'done' ? 'on' : failedIn(run, hasPlan)}
        text={rowsText(run, t, format.count)}
        actions={<RowActions run={run} />}
      />
      {(state === 'running' || state === 'paused') && <ImportProgress run={run} at={at} />}
      <Step
        title={t('imports.step.proof')}
        status={run.proof === undefined ? 'unreached' : run.proof.is_complete ? 'on' : 'failed'}
        text={t(
          run.proof === undefined ? 'imports.proof.waits' : run.proof.is_complete ? 'imports.proof.equal' : 'imports.proof.different',
        )}
      />
      {run.proof !== undefined && <ProofView run={run} proof={run.proof} />}
      {state === 'done' && run.report !== undefined && <ReportView report={run.report} name={`import-${run.id}`} isFolded />}
      {hasStarted && !isOpen(run) && <WayBack run={run} />}
    </div>
  );
}

type Translate = ReturnType<typeof useTranslation>['t'];

/** `failed` in the step that the import ended with. */
function failedIn({ state, error }: ImportDetails, isThis: boolean): Status {
  return state === 'failed' && isThis ? (error?.code === 'stopped' ? 'off' : 'failed') : 'unreached';
}

function SourceStep({ run }: { run: ImportDetails }) {
  const { t } = useTranslation();
  const { label, source, source_kind: kind } = run;
  return <Step title={t('imports.step.source')} status="on" text={label === '' ? `${t(`imports.kind.${kind}`)} ${source}` : label} />;
}

function errorText({ error }: ImportDetails, t: Translate): string {
  if (error === undefined) return '';
  const text = t(`imports.failure.${error.code}`);
  return error.text === '' ? text : `${text} ${error.text}`;
}

function planText(run: ImportDetails, t: Translate): string {
  if (run.state === 'planning') return t(run.is_waiting ? 'imports.plan.waits' : 'imports.plan.running');
  if (run.plan !== undefined) return t('imports.plan.done');
  return run.error === undefined ? t('imports.plan.needs') : errorText(run, t);
}

function rowsText(run: ImportDetails, t: Translate, count: (rows: number) => string): string {
  const { state } = run;
  if (state === 'running') return t(run.is_waiting ? 'imports.rows.waits' : `imports.rows.${run.step}`);
  if (run.error !== undefined && run.plan !== undefined) return errorText(run, t);
  if (state === 'paused') return t(run.is_stopping ? 'imports.rows.pausing' : 'imports.rows.paused');
  if (state === 'done') return t('imports.rows.done', { added: count(run.added), changed: count(run.changed) });
  if (run.plan === undefined) return t('imports.rows.needs');
  return t(hasConflicts(run) ? 'imports.rows.conflicts' : 'imports.rows.ready');
}

function hasConflicts({ plan }: ImportDetails): boolean {
  return plan?.notes.some(({ effect }) => effect === 'conflict') === true;
}

function PlanActions({ run }: { run: ImportDetails }) {
  const { t } = useTranslation();
  const plan = usePlanImport();
  const pause = usePauseImport();
  const { id, state, options, received, bytes } = run;
  const failure = plan.error ?? pause.error;
  return (
    <>
      {(state === 'planned' || state === 'draft') && (
        <OnlineButton
          variant={state === 'draft' ? 'filled' : 'default'}
          disabled={received < bytes || run.is_stopping}
          loading={plan.isPending}
          label={t(state === 'planned' ? 'imports.action.plan_again' : 'imports.action.plan')}
          onClick={() => plan.mutate({ id, options })}
        />
      )}
      {state === 'planning' && <OnlineButton loading={pause.isPending} label={t('imports.action.stop')} onClick={() => pause.mutate(id)} />}
      {(state === 'planned' || state === 'draft') && <EndButton run={run} />}
      <Refusal text={failure === null ? undefined : failureOf(failure).message} />
    </>
  );
}

function RowActions({ run }: { run: ImportDetails }) {
  const { t } = useTranslation();
  const format = useFormat();
  const start = useStartImport();
  const pause = usePauseImport();
  const { id, state, added, changed } = run;
  const failure = start.error ?? pause.error;
  return (
    <>
      {state === 'planned' && (
        <OnlineButton
          variant="filled"
          disabled={hasConflicts(run) || added + changed === 0}
          loading={start.isPending}
          label={t('imports.action.start', { rows: format.count(added + changed) })}
          onClick={() => start.mutate(id)}
        />
      )}
      {state === 'paused' && (
        <OnlineButton variant="filled" loading={start.isPending} label={t('imports.action.resume')} onClick={() => start.mutate(id)} />
      )}
      {state === 'running' && <OnlineButton loading={pause.isPending} label={t('imports.action.pause')} onClick={() => pause.mutate(id)} />}
      {(state === 'paused' || state === 'running') && <EndButton run={run} />}
      <Refusal text={failure === null ? undefined : failureOf(failure).message} />
    </>
  );
}

/** Ends an import for good. What it has written stays. */
function EndButton({ run }: { run: ImportDetails }) {
  const { t } = useTranslation();
  const stop = useStopImport();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <OnlineButton variant="subtle" data-danger label={t('imports.action.end')} onClick={() => setConfirming(true)} />
      <ConfirmDialog
        opened={isConfirming}
        title={t('imports.end.title')}
        text={t(run.has_written ? 'imports.end.written' : 'imports.end.nothing')}
        confirmLabel={t('imports.action.end')}
        isDanger
        onCancel={() => setConfirming(false)}
        onConfirm={async () => {
          await stop.mutateAsync(run.id).catch(() => {});
          setConfirming(false);
        }}
      />
    </>
  );
}

function WayBack({ run }: { run: ImportDetails }) {
  const { t } = useTranslation();
  return (
    <div className={`${layout.stackSm} ${styles.foot}`}>
      {run.state === 'done' && <p>{t('imports.next.text')}</p>}
      {run.backup === undefined ? (
        <p>{run.backup_id === undefined ? t('imports.back.none') : t('imports.back.removed', { id: run.backup_id })}</p>
      ) : (
        <>
          <p>{t('imports.back.backup', run.backup)}</p>
          <code className={styles.break}>npm run restore -- {run.backup.name}</code>
        </>
      )}
    </div>
  );
}
