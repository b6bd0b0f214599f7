import { MantineProvider } from '@mantine/core';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { createFormat } from '#pwa/ui/billing/format.ts';
import { FormatContext } from '#pwa/ui/billing/format-context.ts';
import { closeListFirst } from '#pwa/ui/form/close-list-first.ts';
import { frameGlyphs } from '#pwa/ui/frame/frame-glyphs.tsx';
import { frameIcons } from '#pwa/ui/frame/frame-icons.tsx';
import { addGlyphs } from '#pwa/ui/controls/glyph.tsx';
import { addIcons } from '#pwa/ui/controls/icon.tsx';
import { colorSchemeManager, cssVariablesResolver, theme } from './theme.ts';

addIcons(frameIcons);
addGlyphs(frameGlyphs);

/** What screens stand on, and the sign-in does without: the component library, and how amounts and times are written. */
export function ScreenProviders({ children }: { children: ReactNode }) {
  useEffect(closeListFirst, []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <FormatProvider>{children}</FormatProvider>
    </MantineProvider>
  );
}

function FormatProvider({ children }: { children: ReactNode }) {
  // `t` is another one in another language.
  const { t } = useTranslation();
  const status = useSiteStatus();
  const format = useMemo(
    () =>
      createFormat({
        language: currentLanguage(),
        quotaPerUnit: status?.quota_per_unit ?? 500_000,
        inCurrency: status?.display_in_currency ?? true,
        agoText: (unit, count) => t(`common.ago.${unit}`, { count }),
      }),
    [t, status?.quota_per_unit, status?.display_in_currency],
  );
  return <FormatContext value={format}>{children}</FormatContext>;
}
