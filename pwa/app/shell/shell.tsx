import { Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useActing } from '#pwa/api/acting.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { PaletteHost } from '#pwa/app/palette/palette-door.tsx';
import { ScreenProviders } from '#pwa/app/screen-providers.tsx';
import { useIsPhone, useIsTablet } from '#pwa/ui/frame/breakpoint.ts';
import { placeNews } from '#pwa/ui/frame/news-place.ts';
import { BottomBar } from './bottom-bar.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';
// Where further texts are: with the shell, so that its first screen does not wait for it.
import '#pwa/i18n/text-files.ts';

const foldKey = 'default_collapse_sidebar';

/** The frame around every screen but the sign-in: top bar, sidebar at a desk, a rail of icons on a tablet, bottom bar on a phone. */
export function Shell() {
  const acting = useActing();
  return (
    <ScreenProviders>
      {/* Nothing that was drawn of one account stays for another. */}
      <Frame key={acting?.id ?? 0} />
    </ScreenProviders>
  );
}

function Frame() {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const user = useStoredUser();
  const isTablet = useIsTablet();
  const [isFolded, setFolded] = useFolded();
  const hasSidebar = user !== null && !isPhone;
  const isRail = isTablet || isFolded;
  useAssistance();
  return (
    <div className={styles.shell} data-sidebar={hasSidebar ? (isRail ? 'rail' : 'open') : 'none'}>
      <a className={styles.skip} href="#main">
        {t('shell.skip')}
      </a>
      <TopBar isPhone={isPhone} isBrandNarrow={hasSidebar && isRail} />
      {(isPhone || isTablet) && <div className={styles.news} ref={placeNews} />}
      {hasSidebar && <Sidebar isRail={isRail} onFold={isTablet ? undefined : setFolded} />}
      <Sheet>
        <Outlet />
      </Sheet>
      {isPhone && user !== null && <BottomBar />}
      <PaletteHost />
    </div>
  );
}

/** Holds the screen. While another screen is loaded and drawn in slices, the former one stands there. */
function Sheet({ children }: { children: ReactNode }) {
  const isLeaving = useRouterState({ select: ({ isLoading }) => isLoading });
  return (
    <div className={styles.sheet} aria-busy={isLeaving || undefined}>
      {children}
    </div>
  );
}

/** Loaded after the first screen, which is shown without it. */
function useAssistance(): void {
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isGone = false;
    void import('./assist.ts').then(
      ({ assist }) => {
        if (!isGone) stop = assist();
      },
      // Without a network and without a cached copy.
      () => undefined,
    );
    return () => {
      isGone = true;
      stop?.();
    };
  }, []);
}

/** Stored per device; the site's default until the user chooses. */
function useFolded(): [boolean, (value: boolean) => void] {
  const siteDefault = useSiteStatus()?.default_collapse_sidebar ?? false;
  const [chosen, setChosen] = useState(() => localStorage.getItem(foldKey));
  function choose(value: boolean): void {
    localStorage.setItem(foldKey, String(value));
    setChosen(String(value));
  }
  return [chosen === null ? siteDefault : chosen === 'true', choose];
}
