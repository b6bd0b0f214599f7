// The web app manifest with the site's own name and logo, as the installed console shows them.
import { z } from 'zod';
import { safePicture } from '#shared/links.ts';

/** As the build made it; what stands in it besides is passed on. */
const Manifest = z.looseObject({
  name: z.string(),
  short_name: z.string(),
  icons: z.array(z.looseObject({ src: z.string() })),
  shortcuts: z.array(z.looseObject({ icons: z.array(z.looseObject({ src: z.string() })).optional() })).optional(),
});

export interface SiteIdentity {
  name: string;
  /** What browsers draw, '' for the product's own; of a picture that is kept here its type is known, and its size if it is a PNG. */
  logo: string;
  logoType: string | undefined;
  logoSize: string | undefined;
}

/** @throws {Error} when `built` is no manifest */
export function siteManifest(built: string, { name: siteName, logo, logoType, logoSize = 'any' }: SiteIdentity): string {
  const manifest = Manifest.parse(JSON.parse(built));
  const name = siteName.trim() || manifest.name;
  const named = { ...manifest, name, short_name: name };
  const src = safePicture(logo);
  if (src === undefined) return JSON.stringify(named);
  // Browsers leave out an icon that has another size than it says.
  const icon = { src, sizes: logoSize, ...(logoType === undefined ? {} : { type: logoType }) };
  return JSON.stringify({
    ...named,
    icons: [{ ...icon, purpose: 'any' }],
    ...(manifest.shortcuts === undefined ? {} : { shortcuts: manifest.shortcuts.map((shortcut) => ({ ...shortcut, icons: [icon] })) }),
  });
}
