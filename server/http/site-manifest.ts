// Web app manifest with the site's own name and logo.
import { z } from 'zod';
import { safePicture } from '#shared/links.ts';

/** The built manifest; unknown members are preserved. */
const Manifest = z.looseObject({
  name: z.string(),
  short_name: z.string(),
  icons: z.array(z.looseObject({ src: z.string() })),
  shortcuts: z.array(z.looseObject({ icons: z.array(z.looseObject({ src: z.string() })).optional() })).optional(),
});

export interface SiteIdentity {
  name: string;
  /** Logo URL, empty for the default; type and size are known for an uploaded image, the size only for PNG. */
  logo: string;
  logoType: string | undefined;
  logoSize: string | undefined;
}

/** @throws {Error} if `built` is no manifest */
export function siteManifest(built: string, { name: siteName, logo, logoType, logoSize = 'any' }: SiteIdentity): string {
  const manifest = Manifest.parse(JSON.parse(built));
  const name = siteName.trim() || manifest.name;
  const named = { ...manifest, name, short_name: name };
  const src = safePicture(logo);
  if (src === undefined) return JSON.stringify(named);
  // Browsers ignore an icon whose declared size is wrong.
  const icon = { src, sizes: logoSize, ...(logoType === undefined ? {} : { type: logoType }) };
  return JSON.stringify({
    ...named,
    icons: [{ ...icon, purpose: 'any' }],
    ...(manifest.shortcuts === undefined ? {} : { shortcuts: manifest.shortcuts.map((shortcut) => ({ ...shortcut, icons: [icon] })) }),
  });
}
