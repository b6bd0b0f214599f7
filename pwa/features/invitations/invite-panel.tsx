import { Button } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invitationListLimit, type Delivery, type LineProblem } from '#shared/invitations.ts';
import { pastedListLimit } from '#shared/pasted-list.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './invitations.module.css';
import { MadeInvitations, type MadeList } from './made-invitations.tsx';
import { peopleOf, type PersonLine } from './people-list.ts';
import { PeoplePreview, type PreviewLine } from './people-preview.tsx';
import { useCheckPeople, useInvitePeople } from './queries.ts';
import { defaultValidity, ValidityPicks } from './validity-picks.tsx';

const formId = 'invite-people';

/** Invites the people of a pasted list: first it is checked, then who can be invited is. */
export function InvitePanel({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<MadeList>();
  const [first, setFirst] = useState<FirstValues>({ text: '', delivery: 'link' });
  if (made === undefined) return <InviteForm first={first} onClose={onClose} onMade={setMade} />;
  const handleCorrect = (): void => {
    setFirst({ text: made.left.map(({ source }) => source).join('\n'), delivery: made.delivery });
    setMade(undefined);
  };
  return <MadeInvitations {...made} onClose={onClose} onCorrect={handleCorrect} />;
}

interface FirstValues {
  text: string;
  delivery: Delivery;
}

interface InviteFormProps {
  first: FirstValues;
  onClose: () => void;
  onMade: (made: MadeList) => void;
}

function InviteForm({ first, onClose, onMade }: InviteFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(first.text);
  const [delivery, setDelivery] = useState<Delivery>(first.delivery);
  const [validity, setValidity] = useState(defaultValidity);
  const [createsAccounts, setCreates] = useState(false);
  const people = usePeople(text);
  const { preview, ready, check, invite, failure } = useInviting({ people, delivery, onMade });
  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (preview === undefined) check();
    else invite({ valid_seconds: validity, creates_accounts: createsAccounts });
  };
  return (
    <SidePanel
      title={t('invitations.action.invite')}
      takesFocus
      isTall
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          {preview === undefined ? (
            <OnlineButton
              variant="filled"
              type="submit"
              form={formId}
              disabled={people.length === 0}
              label={t('invitations.action.check')}
            />
          ) : (
            <OnlineButton
              variant="filled"
              type="submit"
              form={formId}
              disabled={ready === 0}
              label={t('invitations.action.invite_count', { count: ready })}
            />
          )}
        </>
      }
    >
      <form id={formId} className={`${layout.stackLg} ${styles.form}`} noValidate onSubmit={handleSubmit}>
        <TextArea
          label={t('invitations.form.list')}
          description={t('invitations.form.list_hint', { limit: invitationListLimit })}
          placeholder={t('invitations.form.list_example')}
          minRows={5}
          maxRows={12}
          maxLength={pastedListLimit}
          spellCheck={false}
          autoCapitalize="none"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Segments
          label={t('invitations.form.delivery')}
          value={delivery}
          options={(['link', 'mail'] as const).map((value) => ({ value, label: t(`invitations.form.by_${value}`) }))}
          onChange={setDelivery}
        />
        <div className={layout.stackSm}>
          <span className={typography.muted}>{t('invitations.validity.label')}</span>
          <ValidityPicks value={validity} onChange={setValidity} />
        </div>
        <SwitchRow
          label={t('invitations.form.creates')}
          description={t('invitations.form.creates_hint')}
          checked={createsAccounts}
          onChange={(event) => setCreates(event.currentTarget.checked)}
        />
        <Refusal text={failure} />
        {preview !== undefined && <PeoplePreview lines={preview} />}
      </form>
      <UnsavedEdits when={text !== ''} />
    </SidePanel>
  );
}

/** Amounts are dollars where the site shows dollars. */
function usePeople(text: string): PersonLine[] {
  const { inCurrency, quotaPerUnit } = useFormat();
  return useMemo(
    () => peopleOf(text, (amount) => (inCurrency ? Math.round(amount * quotaPerUnit) : amount)),
    [text, inCurrency, quotaPerUnit],
  );
}

interface Inviting {
  people: PersonLine[];
  delivery: Delivery;
  onMade: (made: MadeList) => void;
}

/** The check of a list, which holds as long as nothing of it is changed, and what is sent of it then. */
function useInviting({ people, delivery, onMade }: Inviting) {
  const checked = useCheckPeople();
  const invited = useInvitePeople();
  const [about, setAbout] = useState<{ people: PersonLine[]; delivery: Delivery }>();
  const good = people.filter(({ problem }) => problem === undefined);
  const isCurrent = about?.people === people && about.delivery === delivery;
  const found = isCurrent ? checked.data : undefined;
  const problems = new Map<PersonLine | undefined, LineProblem>(found?.problems.map(({ line, problem }) => [good[line], problem]));
  const preview: PreviewLine[] | undefined =
    found === undefined && !(isCurrent && good.length === 0)
      ? undefined
      : people.map((person) => ({ ...person, problem: person.problem ?? problems.get(person) }));
  const ready = preview?.filter(({ problem }) => problem === undefined) ?? [];
  const error = invited.error ?? (isCurrent ? checked.error : null);
  return {
    preview,
    ready: ready.length,
    failure: error === null ? undefined : failureOf(error).message,
    check(): void {
      setAbout({ people, delivery });
      if (good.length > 0) checked.mutate({ lines: good.map(({ line }) => line), delivery });
    },
    invite(options: { valid_seconds: number; creates_accounts: boolean }): void {
      if (invited.isPending) return;
      const lines = ready.map(({ line }) => line);
      invited.mutate(
        { lines, delivery, ...options },
        {
          onSuccess: ({ made, problems: refused }) => {
            // Names and mailboxes that were taken since the check.
            const since = new Map(refused.map(({ line, problem }) => [ready[line]?.number, problem]));
            const outcome = (preview ?? []).map((line) => ({ ...line, problem: line.problem ?? since.get(line.number) }));
            onMade({ made, delivery, left: outcome.filter(({ problem }) => problem !== undefined) });
          },
        },
      );
    },
  };
}
