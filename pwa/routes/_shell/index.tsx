import { createFileRoute } from '@tanstack/react-router';
import { useStoredUser } from '#pwa/api/self.ts';
import { HomeScreen } from '#pwa/features/home/home-screen.tsx';
import { WelcomeScreen } from '#pwa/features/home/welcome-screen.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/')({
  // What rows of the log say is said on Home too.
  loader: () => loadTexts('home', 'logs'),
  component: Home,
});

function Home() {
  const user = useStoredUser();
  return user === null ? <WelcomeScreen /> : <HomeScreen />;
}
