/** An address of this console as the router takes it; undefined for what leads elsewhere, however it is written. */
export function ownAddress(asked: string): string | undefined {
  if (!asked.startsWith('/') || !URL.canParse(asked, location.origin)) return undefined;
  const { origin, pathname, search, hash } = new URL(asked, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : undefined;
}
