import type { Option } from '#shared/options.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import type { SettingEdits } from './use-setting-edits.ts';

const GroupEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./group-editor.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.GroupEditor,
);
const ChatEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./chat-editor.tsx'), loadTexts('setting_parts')]);
    return part;
  },
  (part) => part.ChatEditor,
);

const LimitsEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./limits-editor.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.LimitsEditor,
);

interface TableEditorProps {
  page: string;
  options: readonly Option[];
  edits: SettingEdits;
  /** The setting that a link leads to. */
  wanted: string | undefined;
}

/** Settings of a page as a table, above what is stored. */
export function TableEditor({ page, wanted, ...shared }: TableEditorProps) {
  if (page === 'groups') return <GroupEditor {...shared} />;
  return page === 'chats' ? <ChatEditor {...shared} /> : <LimitsEditor wanted={wanted} {...shared} />;
}
