import { createFileRoute } from '@tanstack/react-router';
import { AboutScreen } from '#pwa/features/site/about-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/about')({
  loader: () => loadTexts('site'),
  component: AboutScreen,
});
