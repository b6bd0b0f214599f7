// What clients can ask of the relay: path, format, and what of it is asked for. A further one is a line in the table.
import type { ClientCall, ClientDialect } from '#server/dialects/client-dialect.ts';
import type { Capability } from '#server/dialects/provider-traits.ts';
import { clientDialects, defaultClientDialect } from '#server/dialects/registry.ts';

export type RelayBody = Record<string, unknown>;

export interface RelayEndpoint extends ClientCall {
  path: string;
  capability: Capability;
  /** The format that callers speak here; errors leave in it, too. */
  dialect: ClientDialect;
  /** How callers say who they are: by a key, or by a session of the console. */
  callers: 'keys' | 'sessions';
  canStream: boolean;
  /** Bytes of a response that is not a stream. */
  mostResponseBytes: number;
}

const megabyte = 1024 * 1024;
/** A chat that says what each of its tokens might have been has a few of them; 2048 vectors of 3072 numbers have ninety. */
const mostResponseBytes: Readonly<Record<Capability, number>> = {
  chat: 32 * megabyte,
  embeddings: 128 * megabyte,
  count_tokens: megabyte / 16,
};

export const relayEndpoints: readonly RelayEndpoint[] = [
  endpoint('/v1/chat/completions', clientDialects['openai-chat'], 'chat'),
  { ...endpoint('/pg/chat/completions', clientDialects['openai-chat'], 'chat'), callers: 'sessions' },
  endpoint('/v1/embeddings', clientDialects['openai-chat'], 'embeddings'),
  endpoint('/v1/responses', clientDialects['openai-responses'], 'chat'),
  endpoint('/v1/messages', clientDialects.claude, 'chat'),
  endpoint('/v1/messages/count_tokens', clientDialects.claude, 'count_tokens'),
];

function endpoint(path: string, dialect: ClientDialect, capability: Capability): RelayEndpoint {
  const call = dialect.calls[capability];
  if (call === undefined) throw new Error(`${dialect.title} has no call of the kind ${capability}`);
  return {
    ...call,
    path,
    capability,
    dialect,
    callers: 'keys',
    canStream: capability === 'chat',
    mostResponseBytes: mostResponseBytes[capability],
  };
}

/** The format that callers at this path expect, whether or not there is anything at it. */
export function dialectAt(pathname: string): ClientDialect {
  const isBelow = ({ path }: RelayEndpoint) => pathname === path || pathname.startsWith(`${path}/`);
  return relayEndpoints.find(isBelow)?.dialect ?? defaultClientDialect;
}
