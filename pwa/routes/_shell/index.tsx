import { createFileRoute } from '@tanstack/react-router';
import { useStoredUser } from '#pwa/api/self.ts';
import { HomeScreen } from '#pwa/features/home/home-screen.tsx';
import { WelcomeScreen } from '#pwa/features/home/welcome-screen.tsx';

export const Route = createFileRoute('/_shell/')({ component: Home });

function Home() {
  const user = useStoredUser();
  return user === null ? <WelcomeScreen /> : <HomeScreen />;
}
