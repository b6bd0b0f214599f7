/** An address of this console as the router takes it; undefined for what leads elsewhere, however it is written. */
export function ownAddress(address: string): string | undefined {
  if (!address.startsWith('/') || !URL.canParse(address, location.origin)) return undefined;
  const { origin, pathname, search, hash } = new URL(address, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : undefined;
}
