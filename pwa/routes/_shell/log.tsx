import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { LogSearch } from '#pwa/features/logs/log-address.ts';
import { LogsScreen } from '#pwa/features/logs/logs-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/log')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: ({ cause, context, location }) => {
    if (cause === 'enter')
      void import('#pwa/features/logs/preload-logs.ts').then(
        (part) => part.preloadLogs(context.queryClient, location.search),
        () => undefined,
      );
    return loadTexts('logs');
  },
  component: Logs,
});

function Logs() {
  const search = LogSearch.parse(Route.useSearch());
  const navigate = Route.useNavigate();
  return <LogsScreen search={search} onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })} />;
}
