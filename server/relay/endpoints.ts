// What clients can ask of the relay: path, capability, and what must be right in a body before anything is spent on it.
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { ClientDialect } from '#server/dialects/client-dialect.ts';
import { clientDialects } from '#server/dialects/registry.ts';
import { promptParts } from '#server/dialects/openai-chat/prompt-parts.ts';
import type { PromptParts } from '#server/dialects/openai-chat/prompt-parts.ts';
import type { Capability } from '#server/upstream/providers/spec.ts';

export type RelayBody = Record<string, unknown>;

export interface RelayEndpoint {
  path: string;
  capability: Capability;
  /** The format that callers speak here; errors leave in it, too. */
  dialect: ClientDialect;
  /** @throws {AppError} 400 with the field at fault. */
  check(body: RelayBody): void;
  /** What of a body counts as prompt. */
  promptParts(body: RelayBody, model: string): PromptParts;
  canStream: boolean;
}

/** The most tokens that a client may ask for in any field. */
export const tokenLimit = 1_073_741_823;
const modelNameLimit = 256;

const rules = {
  noControls: { zh: '不能包含控制字符', en: 'must not contain control characters' },
  textOrList: { zh: '必须是文本或数组', en: 'must be a text or a list' },
  between: (min: number, max: number) => ({ zh: `必须是 ${min} 到 ${max} 之间的整数`, en: `must be a whole number from ${min} to ${max}` }),
} as const;

export const relayEndpoints: readonly RelayEndpoint[] = [
  chatEndpoint('/v1/chat/completions', clientDialects['openai-chat']),
  chatEndpoint('/v1/messages', clientDialects.claude),
  {
    path: '/v1/embeddings',
    capability: 'embeddings',
    dialect: clientDialects['openai-chat'],
    check: checkEmbeddings,
    promptParts: (body, model) => promptParts(body, 'embeddings', model),
    canStream: false,
  },
];

function chatEndpoint(path: string, dialect: ClientDialect): RelayEndpoint {
  return { path, capability: 'chat', dialect, check: dialect.check, promptParts: dialect.promptParts, canStream: true };
}

/** The model that a body names. @throws {AppError} */
export function modelOf(body: RelayBody): string {
  const { model } = body;
  if (model === undefined || model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  if (typeof model !== 'string') throw bad('model', fieldRules.text);
  if (model.length > modelNameLimit) throw bad('model', fieldRules.longest(modelNameLimit));
  // Names go into paths and headers of some upstreams.
  if (/\p{Cc}/u.test(model)) throw bad('model', rules.noControls);
  return model;
}

function checkEmbeddings(body: RelayBody): void {
  const { input } = body;
  if (input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)) {
    throw new AppError('invalid_embedding_request', {}, { field: 'input' });
  }
  if (typeof input !== 'string' && !Array.isArray(input)) throw bad('input', rules.textOrList);
  checkInteger(body, 'dimensions', 1, 1_000_000);
  const format = body['encoding_format'];
  if (format !== undefined && format !== null && format !== 'float' && format !== 'base64')
    throw bad('encoding_format', fieldRules.oneOf(['float', 'base64']));
}

function checkInteger(body: RelayBody, field: string, min: number, max: number): void {
  const value = body[field];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw bad(field, rules.between(min, max));
  }
}

/** `field` is the name on the wire: callers of the API know no other. */
function bad(field: string, rule: LocalText): AppError {
  return new AppError('invalid_request', { detail: { zh: `${field} ${rule.zh}`, en: `${field} ${rule.en}` } }, { field });
}
