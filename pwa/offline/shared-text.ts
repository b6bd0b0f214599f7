// Text that another app shares with the console: it comes to the service worker as a form, and goes on to the wallet in the
// fragment of an address, which is never sent to a server.

/** Where the manifest has it sent. */
export const sharePath = '/share';

const prefix = 'shared=';
const longest = 2000;

/** The address of the wallet with what was shared. A form that cannot be read shares nothing. */
export async function walletWith(form: Promise<FormData>): Promise<string> {
  const fields = await form.catch(() => new FormData());
  const texts = ['text', 'title', 'url'].map((name) => fields.get(name)).filter((text) => typeof text === 'string');
  const text = texts.join(' ').trim().slice(0, longest);
  return text === '' ? '/topup' : `/topup#${prefix}${encodeURIComponent(text)}`;
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
