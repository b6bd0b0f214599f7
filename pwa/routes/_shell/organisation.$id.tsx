import { createFileRoute, redirect } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { useSwitchAccount } from '#pwa/app/shell/use-switch-account.ts';
import { OrganisationScreen } from '#pwa/features/organisations/organisation-screen.tsx';
import { OrganisationSearch } from '#pwa/features/organisations/organisation-search.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';

/** One organisation. */
export const Route = createFileRoute('/_shell/organisation/$id')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: (options) => {
    if (!/^\d{1,15}$/.test(options.params.id)) throw redirect({ to: '/organisations' });
    return signedInOnly(options);
  },
  loader: () => loadTexts('organisations', 'acting', 'limits', 'editing'),
  component: Organisation,
});

function Organisation() {
  const { id } = Route.useParams();
  const navigate = Route.useNavigate();
  const switchAccount = useSwitchAccount();
  return (
    <OrganisationScreen
      key={id}
      id={Number(id)}
      search={OrganisationSearch.parse(Route.useSearch())}
      onSearch={(change) => void navigate({ search: (old) => ({ ...old, ...change }) })}
      onSwitch={(organisation) =>
        void switchAccount(organisation === null ? null : { ...organisation, role: organisation.role ?? 'reader' })
      }
    />
  );
}
