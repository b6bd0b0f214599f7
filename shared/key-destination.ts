// Destination of a channel's key. A user who can change it can read the key at the other end, so both the server and the channel form check here
// whether an edit needs the key again.
import { withoutTrailing } from './trailing.ts';
import { channelType } from './channel-types.ts';

export interface KeyDestination {
  type: number;
  base_url: string;
  /** The channel's settings as JSON text; the proxy is one of them. */
  setting: string;
}

/**
 * Returns whether a key for `before` must be entered again for `after`: another address, or a proxy that it did not pass through. An address may
 * become shorter (`/v1` too many is a common slip), and a proxy may be left out. A different path on the same host is a different address: many
 * gateways distinguish their customers by it.
 */
export function movesKey(before: KeyDestination, after: KeyDestination): boolean {
  const proxy = proxyOf(after.setting);
  if (proxy !== '' && proxy !== proxyOf(before.setting)) return true;
  const [from, to] = [addressOf(before), addressOf(after)];
  if (from === to) return false;
  const [old, next] = [URL.parse(from), URL.parse(to)];
  if (old === null || next === null || old.origin !== next.origin) return true;
  return !from.slice(old.origin.length).startsWith(`${to.slice(next.origin.length)}/`);
}

/** The address as it is used: without trailing slashes, the provider's own where the channel names none. */
function addressOf({ type, base_url }: KeyDestination): string {
  return withoutTrailing(base_url.trim(), '/') || (channelType(type)?.baseUrl ?? '');
}

function proxyOf(setting: string): string {
  try {
    const value: unknown = JSON.parse(setting.trim() === '' ? '{}' : setting);
    const proxy = typeof value === 'object' && value !== null && 'proxy' in value ? value.proxy : '';
    return typeof proxy === 'string' ? proxy.trim() : '';
  } catch {
    // No such text is stored, nor is it sent anywhere.
    return '';
  }
}
