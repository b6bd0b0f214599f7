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

/** Removes a member, or leaves; the keys go to another member, or to service accounts. */
export function RemoveMemberDialog({ organisation, member, onClose, onRemoved }: RemoveMemberDialogProps) {
  const { t } = useTranslation();
  const isSelf = useStoredUser()?.id === member.user_id;
  const others = useQuery(heirsQuery(organisation.id)).data?.items.filter(({ user_id: id }) => id !== member.user_id) ?? [];
  const [heir, setHeir] = useState('0');
  const [refusal, setRefusal] = useState<string>();
  const remove = useRemoveMember(organisation.id);
  const name = memberName(member);

  async function handleConfirm(): Promise<void> {
    try {
      await remove.mutateAsync({ userId: member.user_id, heir: Number(heir) });
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
            <Select
              label={t('organisations.remove.heir')}
              data={[
                { value: '0', label: t('organisations.service') },
                ...others.map((other) => ({ value: String(other.user_id), label: memberName(other) })),
              ]}
              value={heir}
              searchable
              allowDeselect={false}
              onChange={(value) => setHeir(value ?? '0')}
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
