import { isValidElement, type ReactNode, startTransition, useCallback, useDeferredValue, useState } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import { AgePlace } from './age-place.ts';
import { useIsPhone } from './breakpoint.ts';
import { AfterFrame, isFirstScreen, Pending } from './later.tsx';
import { PageHeader } from './page-header.tsx';
import styles from './screen.module.css';
import type { Path } from './paths.ts';
import { useScreenHeading } from './screen-heading.ts';

interface ScreenProps {
  title: string;
  /** Before the title: the screen that this one is a part of. */
  parent?: ReactNode;
  /** Where the arrow on a phone leads, for screens below another. */
  back?: Path;
  /** Small sums next to the title: `<SummaryItem label="RPM">6</SummaryItem>`. */
  facts?: ReactNode;
  /** Buttons of the screen; at most one is filled. */
  actions?: ReactNode;
  /** A `FilterBar`. */
  filters?: ReactNode;
  /** A `SidePanel`, when one is open. */
  panel?: ReactNode;
  /**
   * At a desk the list answers a key first and its panel follows in slices: J and K walk. Only where what opens the panel stays, so that it
   * can give the focus back.
   */
  panelFollows?: boolean;
  /** `list`: the children scroll themselves (a data list). `page`: the screen scrolls. */
  layout?: 'list' | 'page';
  /** On a phone without the bottom bar, whose place is needed; give it a `back`. */
  isAlone?: boolean;
  children: ReactNode;
}

/** Frame of a screen: head, filters, content and side panel. */
export function Screen({
  title,
  parent,
  back,
  facts,
  actions,
  filters,
  panel,
  panelFollows = false,
  layout: kind = 'list',
  isAlone,
  children,
}: ScreenProps) {
  const isPhone = useIsPhone();
  const [agePlace, setAgePlace] = useAgePlace();
  useScreenHeading(title, back);
  const following = useDeferredValue(panel);
  const isBehind = panelFollows && !isPhone && panel !== following && !isSameRecord(panel, following);
  const shownPanel = isBehind ? following : panel;
  const hasPanel = shownPanel !== undefined && shownPanel !== null && shownPanel !== false;
  return (
    <>
      <main
        className={`${layout.fill} ${styles.main}`}
        id="main"
        tabIndex={-1}
        data-layout={kind}
        data-alone={isAlone || undefined}
        data-beside={hasPanel || undefined}
        data-scroll-restoration-id={`main ${title}`}
      >
        {isPhone ? (
          <>
            <PageHeader title={title} isTitleShown={false} facts={facts} agePlace={setAgePlace} />
            {(filters !== undefined || actions !== undefined) && (
              <div className={`${layout.wrap} ${styles.bar}`}>
                {filters}
                {actions}
              </div>
            )}
          </>
        ) : (
          <>
            <PageHeader title={title} parent={parent} isTitleShown facts={facts} actions={actions} agePlace={setAgePlace} />
            {filters}
          </>
        )}
        <AgePlace value={agePlace}>
          <AfterFrame shape={kind === 'list' && <div data-still-rows aria-busy />}>{children}</AfterFrame>
        </AgePlace>
        {isBehind && <Pending />}
      </main>
      {shownPanel}
    </>
  );
}

/** On the page's first screen what the frame does next waits for a task of its own: drawn at once, the place would have all of it done in the task that puts the frame there. */
function useAgePlace() {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const [isFirst] = useState(isFirstScreen);
  const setLater = useCallback((element: HTMLElement | null) => startTransition(() => setPlace(element)), []);
  return [place, isFirst ? setLater : setPlace] as const;
}

/** A panel of the same record is updated at once: the record may be gone or saved. */
function isSameRecord(panel: ReactNode, other: ReactNode): boolean {
  return isValidElement(panel) && isValidElement(other) && panel.type === other.type && panel.key === other.key;
}
