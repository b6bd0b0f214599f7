import { createFileRoute } from '@tanstack/react-router';
import { SetupScreen } from '#pwa/features/setup/setup-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_plain/setup')({
  loader: () => loadTexts('setup'),
  component: Setup,
});

function Setup() {
  return <SetupScreen onDone={startAnew} />;
}

/** A full load: everything that was read before the set-up is out of date. */
function startAnew(): void {
  location.replace('/');
}
