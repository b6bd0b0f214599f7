import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { PersonalScreen } from '#pwa/features/personal/personal-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';

const AccountCards = lazyPart(
  () => import('#pwa/features/session/account-cards.tsx'),
  (part) => part.AccountCards,
);

export const Route = createFileRoute('/_shell/personal')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('personal', 'signin', 'editing'),
  component: Personal,
});

function Personal() {
  return <PersonalScreen signIn={<AccountCards />} />;
}
