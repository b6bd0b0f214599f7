import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import type { Conversation } from '#pwa/offline/conversation.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { withoutTrailing } from '#shared/trailing.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { exportCall, exportCode, type ExportKind, exportKinds } from './export-code.ts';
import { callIn } from './other-formats.ts';
import styles from './playground.module.css';
import threadStyles from './thread.module.css';
import { chatBody } from './request-body.ts';

const names: Record<ExportKind, string> = { curl: 'curl', python: 'Python', javascript: 'JavaScript' };
/** Characters of a line that are drawn: a picture within it has hundreds of thousands. What is copied has them all. */
const longestLine = 400;

/** The conversation up to its last question, as code. */
export function ExportDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const [kind, setKind] = useState<ExportKind>('curl');
  const [column, setColumn] = useState(0);
  const { turns, models } = conversation;
  const baseUrl = `${withoutTrailing(siteAddress(status), '/')}/v1`;
  const body = chatBody(conversation, Math.max(0, turns.length - 1), column);
  const { format = 'openai-chat' } = conversation.settings;
  const code = format === 'openai-chat' ? exportCode(kind, body, baseUrl) : exportCall({ format, ...callIn(format, body) }, baseUrl);
  const drawn = code.replaceAll(new RegExp(`^.{${longestLine + 1},}$`, 'gm'), (line) => `${line.slice(0, longestLine)}…`);
  return (
    <Dialog title={t('playground.export.title')} onClose={onClose}>
      <div className={layout.wrap}>
        <Segments
          label={t('playground.export.language')}
          value={format === 'openai-chat' ? kind : 'curl'}
          options={(format === 'openai-chat' ? exportKinds : exportKinds.slice(0, 1)).map((value) => ({ value, label: names[value] }))}
          onChange={setKind}
        />
        {models.length > 1 && (
          <Segments
            label={t('playground.model.label')}
            value={String(column)}
            options={models.map((model, place) => ({ value: String(place), label: model }))}
            onChange={(value) => setColumn(Number(value))}
          />
        )}
      </div>
      {/* It scrolls by itself, so the keyboard must be able to. */}
      <pre
        className={`${surface.well} ${styles.exportCode}`}
        // oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={names[format === 'openai-chat' ? kind : 'curl']}
      >
        {drawn}
      </pre>
      <p className={typography.note}>{t('playground.export.key')}</p>
      <div className={`${layout.wrap} ${threadStyles.editActions}`}>
        <Button onClick={onClose}>{t('common.action.close')}</Button>
        <CopyButton variant="filled" text={code} label={t('playground.export.copy')} />
      </div>
    </Dialog>
  );
}
