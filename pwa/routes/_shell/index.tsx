import { createFileRoute, redirect } from '@tanstack/react-router';
import { actingId } from '#pwa/api/acting.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { HomeScreen } from '#pwa/features/home/home-screen.tsx';
import { WelcomeScreen } from '#pwa/features/home/welcome-screen.tsx';
import { GuestHome } from '#pwa/features/site/guest-home.tsx';
import { SiteFooter } from '#pwa/features/site/site-footer.tsx';
import { SiteNotice } from '#pwa/features/site/site-notice.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';

export const Route = createFileRoute('/_shell/')({
  // An organisation has a screen of its own in the place of Home.
  beforeLoad: () => {
    const id = actingId();
    if (id !== 0) throw redirect({ to: '/organisation/$id', params: { id: String(id) } });
  },
  // What rows of the log say is said on Home too.
  loader: ({ cause, context }) => {
    if (cause === 'enter')
      void import('#pwa/features/home/preload-home.ts').then(
        (part) => part.preloadHome(context.queryClient),
        () => undefined,
      );
    return loadTexts('home', 'logs', 'site');
  },
  component: Home,
});

function Home() {
  const user = useStoredUser();
  if (user === null) {
    return (
      <GuestHome>
        <WelcomeScreen footer={<SiteFooter />} />
      </GuestHome>
    );
  }
  return (
    <>
      <HomeScreen />
      <SiteNotice />
    </>
  );
}
