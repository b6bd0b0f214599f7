import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod/mini';
import { signedInOnly } from '#pwa/app/guards.ts';
import { FirstCallScreen } from '#pwa/features/first-call/first-call-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { SearchText } from '#pwa/ui/list/list-search.ts';

const Search = z.object({
  /** The id of the token that a program is set up with. */
  token: SearchText,
});

export const Route = createFileRoute('/_shell/first-call')({
  // Read when the screen is there: what addresses are read with is loaded with the sign-in.
  validateSearch: (search: Record<string, unknown>) => search,
  beforeLoad: signedInOnly,
  loader: () => loadTexts('guide'),
  component: FirstCall,
});

function FirstCall() {
  const { token } = Search.parse(Route.useSearch());
  return <FirstCallScreen tokenId={token === undefined ? undefined : Number(token)} />;
}
