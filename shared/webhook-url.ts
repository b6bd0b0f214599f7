/**
 * Returns the address of a webhook without a name or password in it; undefined if it is none.
 * @param allowsPlain also `http:`, which only hosts that an administrator has listed may have
 */
export function webhookUrlOf(text: string, allowsPlain = false): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isScheme = url.protocol === 'https:' || (allowsPlain && url.protocol === 'http:');
  return isScheme && url.username === '' && url.password === '' ? url : undefined;
}
