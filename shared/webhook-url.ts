/** The address of a webhook as it is stored: HTTPS, without a name or password in it; undefined: it is none. */
export function webhookUrlOf(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}
