// What a provider has opened in its account for a caller, such as the container in which Claude's code ran. Its name travels sealed for the
// user who was told it, and the channel and key it lies behind: nobody else can use it, and nothing has to be kept of it.
import type { ProviderObject } from '#server/formats/provider-objects.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { RelayServices } from '#server/call/services.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** One that its caller goes on with. */
export interface HeldObject extends ProviderObject {
  /** The only channel where it is. */
  channel: number;
}

interface Holder {
  services: Pick<RelayServices, 'context' | 'channels'>;
  userId: number;
}

/** Seconds. Anthropic keeps a container for 30 days at the most. https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool */
const lifetime = 30 * 24 * 3600;
/** Characters of a provider's name, and of a sealed one. */
const longest = { name: 256, reported: 1024 };
/** Of a sealed name, so that it looks like what it stands for. */
const prefix = 'container_';

/** Null: it is nothing that this user was told, or is there no more. */
export function openProviderContainer({ services, userId }: Holder, reported: string | undefined): HeldObject | null {
  const { context, channels } = services;
  if (reported === undefined || !reported.startsWith(prefix) || reported.length > longest.reported || isPassedOn(services)) return null;
  const opened = openSeal(context, reported.slice(prefix.length));
  if (opened === null) return null;
  const { container: name, channel: id, user, key, until } = opened;
  const channel = typeof id === 'number' ? channels.get(id) : undefined;
  if (typeof name !== 'string' || channel === undefined || user !== userId || key !== keyBehind(context.secrets, channel)) return null;
  if (typeof until !== 'number' || until < context.now() / 1000) return null;
  return { reported, name, channel: channel.id };
}

/**
 * How a caller is told names of that channel. The one that its request goes on with stays as it was.
 * Undefined: names pass as they are.
 */
export function restoreObjectId(
  { services, userId }: Holder,
  channel: PreparedChannel,
  held: HeldObject | null,
): ((name: string) => string) | undefined {
  if (isPassedOn(services)) return undefined;
  const { context } = services;
  return (name) => {
    if (held?.name === name && held.channel === channel.id) return held.reported;
    // Nobody can go on in one that is told as it is.
    if (name.length > longest.name) return name;
    const until = Math.floor(context.now() / 1000) + lifetime;
    const seal = { container: name, channel: channel.id, user: userId, key: keyBehind(context.secrets, channel), until };
    return `${prefix}${context.secrets.encrypt(JSON.stringify(seal), 'container')}`;
  };
}

function isPassedOn({ context }: Holder['services']): boolean {
  return context.settings.get('global.pass_through_request_enabled');
}

function openSeal({ secrets }: RelayServices['context'], sealed: string): Readonly<Record<string, unknown>> | null {
  try {
    const opened = parseObject(secrets.decrypt(sealed, 'container'));
    return isObject(opened) ? opened : null;
  } catch {
    // It is not one of ours.
    return null;
  }
}
