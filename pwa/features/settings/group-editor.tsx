import { ActionIcon, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { Role } from '#shared/roles.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { ManagedBy } from '#pwa/ui/controls/managed-by.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import { serverWords } from '#pwa/ui/server-words.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { GroupDialog } from './group-dialog.tsx';
import { GroupMoveNote } from './group-move.tsx';
import { type GroupMaps, groupMapsOf, type GroupRow, groupRows, withRow } from './group-rows.ts';
import { groupMoveQuery } from './queries.ts';
import { AddRow, CardLabel, Row, RowTable } from './row-table.tsx';
import type { SettingEdits } from './use-setting-edits.ts';

interface EditorProps {
  options: readonly Option[];
  edits: SettingEdits;
}

/** What a setting is with what was typed. */
export function textNow(
  { options, edits }: EditorProps,
  key: 'GroupRatio' | 'UserUsableGroups' | 'Chats' | 'SiteRateLimits' | 'SiteBudgets',
): string {
  return edits.drafts.get(key)?.text ?? edits.queued.get(key)?.mine ?? options.find((option) => option.key === key)?.value ?? '';
}

/** Groups as a table: what is typed goes into the same edits as the JSON below it, and is saved with them. */
export function GroupEditor(props: EditorProps) {
  const { t } = useTranslation();
  const maps = groupMapsOf(textNow(props, 'GroupRatio'), textNow(props, 'UserUsableGroups'));
  const mayWrite = mayWriteSetting('GroupRatio', useStoredUser()?.role ?? Role.guest);
  const move = useQuery(groupMoveQuery).data;
  const [pending, setPending] = useState<{ act: 'rename' | 'remove'; name: string }>();
  // While the JSON below is being typed it is no map; the table comes back with the last bracket.
  if (maps === undefined) return null;
  const rows = groupRows(maps);
  const stored = storedGroups(props.options);
  const managed = props.options.find(({ key }) => key === 'GroupRatio')?.managed_entries ?? {};
  const isTyped = groupKeys.some((key) => props.edits.drafts.has(key) || props.edits.queued.has(key));
  // The server moves the contents of the group, from what is stored there.
  const confirmGroup = (act: 'rename' | 'remove', name: string): void => {
    if (isTyped) toastNote(t('setting_parts.groups.typed_first'));
    else setPending({ act, name });
  };
  const change = (name: string, row: Omit<GroupRow, 'name'> | undefined): void => {
    const next = withRow(maps, name, row);
    props.edits.type('GroupRatio', next.factors);
    props.edits.type('UserUsableGroups', next.descriptions);
  };
  return (
    <>
      <GroupMoveNote />
      {pending !== undefined && <GroupDialog {...pending} taken={[...stored]} onClose={() => setPending(undefined)} />}
      <RowTable
        label={t('settings.page.groups')}
        columns={[t('setting_parts.groups.name'), t('setting_parts.groups.factor'), t('setting_parts.groups.choosable')]}
      >
        {rows.map((row) => (
          <GroupFields
            key={row.name}
            row={row}
            managedBy={managed[row.name]}
            mayWrite={mayWrite && (move === undefined || move === null) && managed[row.name] === undefined}
            onChange={(next) => change(row.name, next)}
            onAsk={stored.has(row.name) ? (act) => confirmGroup(act, row.name) : undefined}
          />
        ))}
      </RowTable>
      {mayWrite && (move === undefined || move === null) && (
        <AddRow
          label={t('setting_parts.groups.new')}
          taken={rows.map(({ name }) => name)}
          onAdd={(name) => change(name, { factor: 1, description: undefined })}
        />
      )}
    </>
  );
}

const groupKeys = ['GroupRatio', 'UserUsableGroups'] as const;

function storedGroups(options: readonly Option[]): ReadonlySet<string> {
  const [factors = '', descriptions = ''] = groupKeys.map((key) => options.find((option) => option.key === key)?.value);
  const maps: GroupMaps | undefined = groupMapsOf(factors, descriptions);
  return new Set(maps === undefined ? [] : groupRows(maps).map(({ name }) => name));
}

interface GroupFieldsProps {
  row: GroupRow;
  /** File that manages the group. */
  managedBy: string | undefined;
  mayWrite: boolean;
  onChange: (row: Omit<GroupRow, 'name'> | undefined) => void;
  /** Of a group that is stored, which users, keys and channels may name. */
  onAsk: ((act: 'rename' | 'remove') => void) | undefined;
}

function GroupFields({ row, managedBy, mayWrite, onChange, onAsk }: GroupFieldsProps) {
  const { t } = useTranslation();
  const { name, factor, description } = row;
  // What is no number (yet) stays in the field, and out of the map.
  const [typed, setTyped] = useState<string>();
  const isWrong = typed !== undefined && (typed.trim() === '' || !Number.isFinite(Number(typed)));
  return (
    <Row
      name={name}
      more={
        mayWrite &&
        name !== 'default' &&
        onAsk !== undefined && (
          <ActionIcon aria-label={t('setting_parts.groups.rename_of', { name })} onClick={() => onAsk('rename')}>
            <Icon name="edit" />
          </ActionIcon>
        )
      }
      onRemove={mayWrite && name !== 'default' ? () => (onAsk === undefined ? onChange(undefined) : onAsk('remove')) : undefined}
      cells={
        <>
          <span className={layout.stackXs}>
            <b>{name}</b>
            {managedBy !== undefined && (
              <small>
                <ManagedBy file={managedBy} />
              </small>
            )}
          </span>
          <span>
            <CardLabel>{t('setting_parts.groups.factor')}</CardLabel>
            <TextInput
              aria-label={t('setting_parts.groups.factor_of', { name })}
              inputMode="decimal"
              disabled={!mayWrite}
              value={isWrong ? typed : (typed ?? (factor === undefined ? '' : String(factor)))}
              error={isWrong ? t('setting_parts.groups.factor_wrong') : undefined}
              leftSection="×"
              onBlur={() => !isWrong && setTyped(undefined)}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setTyped(value);
                if (value.trim() !== '' && Number.isFinite(Number(value))) onChange({ factor: Number(value), description });
              }}
            />
          </span>
          <span data-wide>
            <CardLabel>{t('setting_parts.groups.choosable')}</CardLabel>
            <Switch
              aria-label={t('setting_parts.groups.choosable_of', { name })}
              disabled={!mayWrite}
              checked={description !== undefined}
              onChange={(event) => onChange({ factor, description: event.currentTarget.checked ? name : undefined })}
            />
            {description === undefined ? (
              <small>{t('setting_parts.groups.by_administrators')}</small>
            ) : (
              <TextInput
                aria-label={t('setting_parts.groups.description_of', { name })}
                placeholder={t('setting_parts.groups.description')}
                description={serverWords(t, description) === description ? undefined : serverWords(t, description)}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                disabled={!mayWrite}
                value={description}
                onChange={(event) => onChange({ factor, description: event.currentTarget.value })}
              />
            )}
          </span>
        </>
      }
    />
  );
}
