import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod/mini';
import { adminOnly } from '#pwa/app/guards.ts';
import { SettingsScreen } from '#pwa/features/settings/settings-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { SearchText } from '#pwa/ui/list/list-search.ts';

const Search = z.object({
  /** Which part of the settings; one that there is not counts as the first. */
  tab: SearchText,
  /** The setting that a link leads to. */
  field: SearchText,
  /** View of the prices; a table by default. */
  view: SearchText,
  /** Panel next to them. */
  panel: SearchText,
});

export const Route = createFileRoute('/_shell/setting')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  loader: () => loadTexts('settings', 'editing'),
  component: Settings,
});

function Settings() {
  const { tab, field, view, panel } = Search.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return (
    <SettingsScreen
      tab={tab}
      field={field}
      view={view}
      panel={panel}
      onView={(next) => void navigate({ search: (old) => ({ ...old, view: next }), replace: true })}
      onPanel={(next) => void navigate({ search: (old) => ({ ...old, panel: next }), replace: true })}
    />
  );
}
