import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { heirsQuery } from '#pwa/api/organisations.ts';
import type { Member, Organisation } from '#shared/organisations.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { memberName } from './member-name.ts';
import { useRemoveMember } from './queries.ts';

interface RemoveMemberDialogProps {
  organisation: Organisation;
  member: Pick<Member, 'user_id' | 'username' | 'display_name' | 'tokens'>;
  onClose: () => void;
  onRemoved: () => void;
}

/** Fates of the keys other than the user id of the member who gets them. */
const fates = ['disable', 'keep'] as const;
type Fate = (typeof fates)[number];

function isFate(value: string): value is Fate {
  return value === 'disable' || value === 'keep';
}

/** Removes a member, or leaves; the keys are disabled, or go to service accounts or another member, who renews them: the former member knows them. */
export function RemoveMemberDialog({ organisation, member, onClose, onRemoved }: RemoveMemberDialogProps) {
  const { t } = useTranslation();
  const isSelf = useStoredUser()?.id === member.user_id;
  const others = useQuery(heirsQuery(organisation.id)).data?.items.filter(({ user_id: id }) => id !== member.user_id) ?? [];
  const [choice, setChoice] = useState<string>('disable');
  const [refusal, setRefusal] = useState<string>();
  const remove = useRemoveMember(organisation.id);
  const name = memberName(member);
  const heir = others.find(({ user_id: id }) => String(id) === choice);

  async function handleConfirm(): Promise<void> {
    try {
      await remove.mutateAsync({
        userId: member.user_id,
        heir: heir?.user_id ?? 0,
        keys: heir === undefined && choice !== 'keep' ? 'disable' : 'keep',
      });
    } catch (error) {
      setRefusal(failureOf(error).message);
      return;
    }
    toastSuccess(t(isSelf ? 'organisations.leave.done' : 'organisations.remove.done', { name: isSelf ? organisation.name : name }));
    onRemoved();
  }
  return (
    <ConfirmDialog
      opened
      isDanger
      hasFields
      title={isSelf ? t('organisations.leave.title', { name: organisation.name }) : t('organisations.remove.title', { name })}
      text={
        <div className={layout.stackMd}>
          <p>{t(isSelf ? 'organisations.leave.text' : 'organisations.remove.text')}</p>
          {member.tokens > 0 && (
            <KeysField
              label={t(isSelf ? 'organisations.leave.keys' : 'organisations.remove.keys')}
              {...{ others, heir, choice }}
              onChange={setChoice}
            />
          )}
          <Refusal text={refusal} />
        </div>
      }
      confirmLabel={t(isSelf ? 'organisations.leave.action' : 'organisations.member.remove')}
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}

interface KeysFieldProps {
  label: string;
  others: readonly Member[];
  /** The member of the choice. */
  heir: Member | undefined;
  choice: string;
  onChange: (choice: string) => void;
}

function KeysField({ label, others, heir, choice, onChange }: KeysFieldProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={label}
      description={
        heir === undefined
          ? t(isFate(choice) ? `organisations.remove.${choice}_text` : 'organisations.remove.disable_text')
          : t('organisations.remove.heir_text', { name: memberName(heir) })
      }
      data={[
        ...fates.map((fate) => ({ value: fate, label: t(`organisations.remove.${fate}`) })),
        ...others.map((other) => ({
          value: String(other.user_id),
          label: t('organisations.remove.heir', { name: memberName(other) }),
        })),
      ]}
      value={choice}
      searchable
      allowDeselect={false}
      onChange={(value) => onChange(value ?? 'disable')}
    />
  );
}
