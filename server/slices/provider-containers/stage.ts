// Containers that a provider opened in its account for a caller, such as the one in which Claude's code runs. The id is sealed for the
// caller, the channel and its key: no other caller can use it, and nothing is stored.
import type { Admission } from '#server/call/admission/admission.ts';
import { type ObjectOwner, ownerIn } from '#server/tokens/object-owner.ts';
import type { AppContext } from '#server/context.ts';
import type { ProviderObject } from '#server/formats/provider-objects.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { CallStage, ResponseReading, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import { channelBehind, keyBehind } from '#server/exchange/key-behind.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { reaches } from '#server/exchange/keys/channel-keys.ts';

type Services = Pick<AppContext, 'channels' | 'secrets' | 'now'>;

/** A container that the call continues. */
interface HeldContainer extends ProviderObject {
  /** Id of the only channel that has the container. */
  channel: number;
  /** That channel with the key that the container was made with. */
  behind: PreparedChannel;
}

/** Seconds. A container of Anthropic lives for at most 30 days. https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool */
const lifetime = 30 * 24 * 3600;
/** Characters of a provider's id, and of a sealed one. */
const longest = { name: 256, sealed: 1024 };
/** Prefix of a sealed id, like that of the provider's. */
const prefix = 'container_';

export function providerContainersStage({ channels, secrets, now, settings }: Services & Pick<AppContext, 'settings'>): CallStage {
  const services = { channels, secrets, now };
  return {
    name: 'provider-containers',
    applies: ({ dialect }) => dialect.accountObjectOf !== undefined && !settings.get('global.pass_through_request_enabled'),
    open({ endpoint, content, admission }) {
      const reported = endpoint.dialect.accountObjectOf?.(content.body);
      return new Containers(services, admission, reported === undefined ? null : openContainer(services, ownerIn(admission), reported));
    },
  };
}

class Containers implements StageRun {
  readonly #services: Services;
  readonly #admission: Admission;
  readonly #held: HeldContainer | null;

  constructor(services: Services, admission: Admission, held: HeldContainer | null) {
    this.#services = services;
    this.#admission = admission;
    this.#held = held;
  }

  fits(channel: PreparedChannel): boolean {
    return this.#held === null || reaches(channel, this.#held.behind);
  }

  request(sending: CallToSend): void {
    if (this.#held !== null) sending.providerObject = this.#held;
  }

  /** The id that the request continues stays as it was. */
  reading(reading: ResponseReading, channel: PreparedChannel): void {
    const restoreObjectId = (name: string) =>
      this.#held?.name === name ? this.#held.reported : sealContainer(this.#services, ownerIn(this.#admission), { name, channel });
    reading.restoreObjectId = restoreObjectId;
  }
}

/** Returns null for an id that this caller was not given, or whose container is gone. */
function openContainer({ channels, secrets, now }: Services, owner: ObjectOwner, reported: string): HeldContainer | null {
  if (!reported.startsWith(prefix) || reported.length > longest.sealed) return null;
  const opened = openSeal(secrets, reported.slice(prefix.length));
  if (opened === null) return null;
  const { container: name, channel: id, user, member = 0, key, until } = opened;
  const channel = typeof id === 'number' && typeof key === 'string' ? channelBehind({ channels, secrets }, id, key) : undefined;
  if (typeof name !== 'string' || channel === undefined || user !== owner.userId || member !== (owner.memberId ?? 0)) return null;
  if (typeof until !== 'number' || until < now() / 1000) return null;
  return { reported, name, channel: channel.id, behind: channel };
}

function sealContainer(
  { secrets, now }: Services,
  { userId, memberId }: ObjectOwner,
  { name, channel }: { name: string; channel: PreparedChannel },
): string {
  // An id that is passed as it is cannot be continued.
  if (name.length > longest.name) return name;
  const until = Math.floor(now() / 1000) + lifetime;
  const seal = { container: name, channel: channel.id, user: userId, member: memberId, key: keyBehind(secrets, channel), until };
  return `${prefix}${secrets.encrypt(JSON.stringify(seal), 'container')}`;
}

function openSeal(secrets: Services['secrets'], sealed: string): Readonly<Record<string, unknown>> | null {
  try {
    const opened = parseObject(secrets.decrypt(sealed, 'container'));
    return isObject(opened) ? opened : null;
  } catch {
    // Not sealed here.
    return null;
  }
}
