/** Mail addresses in a pasted list, one per line or separated by commas or semicolons; `Name <address>` counts as its address. */
export function addressesIn(text: string): { addresses: string[]; wrong: string[] } {
  const parts = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).trim().toLowerCase())
    .filter((part) => part !== '');
  const isAddress = (part: string): boolean => part.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(part);
  return { addresses: [...new Set(parts.filter(isAddress))], wrong: parts.filter((part) => !isAddress(part)) };
}
