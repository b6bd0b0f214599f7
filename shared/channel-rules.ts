// What an administrator may enter for a channel, beyond the types of `channels.ts`: in the console's form and on the server alike.

/** Names, tags, models. */
export const longestChannelText = 255;
export const longestBaseUrl = 2000;

export type BaseUrlProblem =
  | 'base_url_scheme'
  | 'base_url_invalid'
  | 'base_url_long'
  | 'base_url_characters'
  | 'base_url_host'
  | 'base_url_credentials'
  | 'base_url_fragment';

/** The address as it is stored: without trailing slashes. */
export function tidyBaseUrl(typed: string): string {
  return typed.trim().replace(/\/+$/, '');
}

/** What is wrong with a channel's own address; it may hold `{model}`, and an empty one means the provider's. */
export function baseUrlProblem(typed: string): BaseUrlProblem | undefined {
  const address = tidyBaseUrl(typed);
  if (address === '') return undefined;
  if (!/^https?:\/\//i.test(typed.trim())) return 'base_url_scheme';
  if (address.length > longestBaseUrl) return 'base_url_long';
  if (/[\s\p{Cc}]/u.test(address)) return 'base_url_characters';
  if (!URL.canParse(address.replaceAll('{model}', 'model'))) return 'base_url_invalid';
  if (hasModelInHost(address)) return 'base_url_host';
  const url = new URL(address.replaceAll('{model}', 'model'));
  if (url.username !== '' || url.password !== '') return 'base_url_credentials';
  return url.hash === '' ? undefined : 'base_url_fragment';
}

/** The caller has a say in the model's name, and must have none in which host gets the key. */
export function hasModelInHost(base: string): boolean {
  return /^[^/]+:\/\/[^/?]*\{model\}/.test(base);
}

/** One key per line, each once. */
export function channelKeys(text: string): string[] {
  const keys = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return [...new Set(keys.filter((key) => key !== ''))];
}

/** Keys travel in headers, so only visible ASCII and blanks within are possible. */
export function isChannelKey(key: string): boolean {
  return /^[\x20-\x7e]+$/.test(key);
}

/** One line that is not too long and can be stored. */
export function isChannelText(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed() && Array.from(text).length <= longestChannelText;
}
