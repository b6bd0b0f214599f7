import { createFileRoute } from '@tanstack/react-router';
import { signedInOnly } from '#pwa/app/guards.ts';
import { PersonalScreen } from '#pwa/features/personal/personal-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/personal')({
  beforeLoad: signedInOnly,
  loader: () => loadTexts('personal'),
  component: PersonalScreen,
});
