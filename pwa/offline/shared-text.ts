// Text that another app shares with the console: it reaches the service worker as a form, and its screen in the fragment of an address, which is
// never sent to a server.

/** Where the manifest has it sent. */
export const sharePath = '/share';

const prefix = 'shared=';
const longest = 2000;

/** A redemption code of ours, wherever it stands. */
export const ourCode = /(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/i;

/**
 * The address for what was shared: of the wallet for a code, which is one of ours or a single word; else of the playground, where
 * an article becomes a question. A form that cannot be read shares nothing.
 */
export async function addressFor(form: Promise<FormData>): Promise<string> {
  const fields = await form.catch(() => new FormData());
  const [title, text, link] = ['title', 'text', 'url'].map((name) => {
    const field = fields.get(name);
    return typeof field === 'string' ? field.trim() : '';
  });
  const whole = [title, text, link].filter(Boolean).join('\n').slice(0, longest);
  if (whole === '') return '/topup';
  // An address may hold as many digits as a code.
  const code = ourCode.exec(whole.replaceAll(/\S+:\/\/\S*/g, ''))?.[0] ?? (isWord(text) && link === '' ? text : undefined);
  return code === undefined ? `/playground#${prefix}${encodeURIComponent(whole)}` : `/topup#${prefix}${encodeURIComponent(code)}`;
}

function isWord(text = ''): boolean {
  return /^\S+$/.test(text) && !text.includes('://');
}

/** What was shared, of an address' fragment; '' for any other fragment. */
export function sharedText(fragment: string): string {
  if (!fragment.startsWith(prefix)) return '';
  try {
    return decodeURIComponent(fragment.slice(prefix.length)).slice(0, longest);
  } catch {
    return '';
  }
}
