// What clients can ask of the relay: path, format, and what of it is asked for. A further one is a line in the table.
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { ClientCall, ClientDialect } from '#server/dialects/client-dialect.ts';
import type { Capability } from '#server/dialects/provider-traits.ts';
import { clientDialects, defaultClientDialect } from '#server/dialects/registry.ts';

export type RelayBody = Record<string, unknown>;

export interface RelayEndpoint extends ClientCall {
  path: string;
  capability: Capability;
  /** The format that callers speak here; errors leave in it, too. */
  dialect: ClientDialect;
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

const modelNameLimit = 256;
const noControls = { zh: '不能包含控制字符', en: 'must not contain control characters' };

export const relayEndpoints: readonly RelayEndpoint[] = [
  endpoint('/v1/chat/completions', clientDialects['openai-chat'], 'chat'),
  endpoint('/v1/embeddings', clientDialects['openai-chat'], 'embeddings'),
  endpoint('/v1/messages', clientDialects.claude, 'chat'),
  endpoint('/v1/messages/count_tokens', clientDialects.claude, 'count_tokens'),
];

function endpoint(path: string, dialect: ClientDialect, capability: Capability): RelayEndpoint {
  const call = dialect.calls[capability];
  if (call === undefined) throw new Error(`${dialect.title} has no call of the kind ${capability}`);
  return { ...call, path, capability, dialect, canStream: capability === 'chat', mostResponseBytes: mostResponseBytes[capability] };
}

/** The format that callers at this path expect, whether or not there is anything at it. */
export function dialectAt(pathname: string): ClientDialect {
  const isBelow = ({ path }: RelayEndpoint) => pathname === path || pathname.startsWith(`${path}/`);
  return relayEndpoints.find(isBelow)?.dialect ?? defaultClientDialect;
}

/** The model that a body names. @throws {AppError} */
export function modelOf(body: RelayBody): string {
  const { model } = body;
  if (model === undefined || model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  if (typeof model !== 'string') throw bad('model', fieldRules.text);
  if (model.length > modelNameLimit) throw bad('model', fieldRules.longest(modelNameLimit));
  // Names go into paths and headers of some upstreams.
  if (/\p{Cc}/u.test(model)) throw bad('model', noControls);
  return model;
}

/** `field` is the name on the wire: callers of the API know no other. */
function bad(field: string, rule: LocalText): AppError {
  return new AppError('invalid_request', { detail: { zh: `${field} ${rule.zh}`, en: `${field} ${rule.en}` } }, { field });
}
