import { createFileRoute } from '@tanstack/react-router';
import { adminOnly } from '#pwa/app/guards.ts';
import { AuditLogScreen } from '#pwa/features/audit-log/audit-log-screen.tsx';
import { AuditSearch } from '#pwa/features/audit-log/audit-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/audit-log')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: adminOnly,
  // Settings are named as on their pages.
  loader: () => loadTexts('audit', 'settings'),
  component: AuditLog,
});

function AuditLog() {
  const search = AuditSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <AuditLogScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
