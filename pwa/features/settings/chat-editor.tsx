import { ActionIcon, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { Role } from '#shared/roles.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { safeLink } from '#shared/links.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { type ChatRow, chatRows, chatText, moved } from './chat-rows.ts';
import { textNow } from './group-editor.tsx';
import { AddRow, Row, RowTable } from './row-table.tsx';
import type { SettingEdits } from './use-setting-edits.ts';

/** Chat links as a table, in the order in which people see them. */
export function ChatEditor(props: { options: readonly Option[]; edits: SettingEdits }) {
  const { t } = useTranslation();
  const rows = chatRows(textNow(props, 'Chats'));
  const mayWrite = mayWriteSetting('Chats', useStoredUser()?.role ?? Role.guest);
  if (rows === undefined) return null;
  const store = (next: readonly ChatRow[]): void => props.edits.type('Chats', chatText(next));
  return (
    <>
      <RowTable label={t('settings.page.chats')} columns={[t('setting_parts.chats.name'), t('setting_parts.chats.link')]}>
        {rows.map((row, index) => (
          <Row
            // Names may be typed: a row is known by its place.
            key={index}
            name={row.name}
            more={
              mayWrite && (
                <>
                  <ActionIcon
                    aria-label={t('setting_parts.chats.up', { name: row.name })}
                    disabled={index === 0}
                    onClick={() => store(moved(rows, index, -1))}
                  >
                    <Icon name="up" />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={t('setting_parts.chats.down', { name: row.name })}
                    disabled={index === rows.length - 1}
                    onClick={() => store(moved(rows, index, 1))}
                  >
                    <Icon name="down" />
                  </ActionIcon>
                </>
              )
            }
            onRemove={mayWrite ? () => store(rows.toSpliced(index, 1)) : undefined}
            cells={
              <>
                <TextInput
                  aria-label={t('setting_parts.chats.name_of', { name: row.name })}
                  disabled={!mayWrite}
                  value={row.name}
                  onChange={(event) => store(rows.with(index, { ...row, name: event.currentTarget.value }))}
                />
                <span data-wide>
                  <TextInput
                    aria-label={t('setting_parts.chats.link_of', { name: row.name })}
                    inputMode="url"
                    placeholder="https://…{key}…{address}"
                    disabled={!mayWrite}
                    error={safeLink(row.link, 'client') === undefined ? t('setting_parts.chats.link_wrong') : undefined}
                    value={row.link}
                    onChange={(event) => store(rows.with(index, { ...row, link: event.currentTarget.value }))}
                  />
                </span>
              </>
            }
          />
        ))}
      </RowTable>
      {mayWrite && (
        <AddRow
          label={t('setting_parts.chats.new')}
          taken={rows.map(({ name }) => name)}
          onAdd={(name) => store([...rows, { name, link: 'https://' }])}
        />
      )}
    </>
  );
}
