import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { adminOnly } from '#pwa/app/guards.ts';
import { SettingsScreen } from '#pwa/features/settings/settings-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

const Search = z.object({
  /** Which part of the settings; the only one so far comes first. */
  tab: z.enum(['general']).optional().catch(undefined),
});

export const Route = createFileRoute('/_shell/setting')({
  validateSearch: Search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('settings', 'editing'),
  component: SettingsScreen,
});
