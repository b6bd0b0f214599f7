import { useTranslation } from 'react-i18next';
import { type Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { focusFirstError } from '#pwa/ui/form/field-errors.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { PanelSection, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { useToggleCode } from './code-actions.ts';
import { CodeConflict } from './code-conflict.tsx';
import { CodeFields } from './code-fields.tsx';
import { verbOf } from './code-labels.tsx';
import { CodeStanding } from './code-standing.tsx';
import styles from './redemptions.module.css';
import { useCodeForm, useSaveCode } from './use-code-form.ts';

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
  const edited = useCodeForm(code);
  const { form, base, theirs, start } = edited;
  const { save, isPending, refusal } = useSaveCode(edited);
  const isDirty = form.isDirty();
  const isEditable = code.status === RedemptionStatus.unused;
  const submit = form.onSubmit(
    () => save(),
    () => focusFirstError(formId),
  );
  return (
    <SidePanel
      isTall
      title={base.name}
      note={`#${code.id}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      onSave={() => submit()}
      foot={
        <>
          <OnlineButton variant="subtle" data-danger onClick={onRemove} label={t('common.action.delete')} />
          <span className={styles.space} />
          <ToggleButton code={code} />
          {isEditable && (
            <OnlineButton
              variant="filled"
              type="submit"
              form={formId}
              loading={isPending}
              disabled={!isDirty}
              label={t('common.action.save')}
            />
          )}
        </>
      }
    >
      <CodeStanding code={code} />
      {theirs !== undefined && (
        <CodeConflict
          before={base}
          theirs={theirs}
          values={form.values}
          isBusy={isPending}
          onReload={() => start(theirs)}
          onKeepMine={() => save(theirs)}
        />
      )}
      {isEditable && (
        <PanelSection title={t('redemptions.panel.edit')}>
          <form id={formId} className={styles.form} noValidate onSubmit={submit}>
            <Later>
              <CodeFields form={form} isNew={false} />
            </Later>
            <Refusal text={refusal} />
          </form>
        </PanelSection>
      )}
      <UnsavedEdits when={isEditable && isDirty} />
    </SidePanel>
  );
}

function ToggleButton({ code }: { code: Redemption }) {
  const { t } = useTranslation();
  const toggle = useToggleCode();
  const verb = verbOf(code);
  if (verb === undefined) return null;
  return <OnlineButton loading={toggle.isPending} onClick={() => toggle.mutate(code)} label={t(`redemptions.action.${verb}`)} />;
}
