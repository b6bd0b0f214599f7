// What a 403 is about, as far as its body tells. Of what it does not tell, one caller may be the cause: a field, a model, a feature
// that the account has not.
import { isObject } from '#server/framing/loose-json.ts';

/** The request that was made, the model on this channel, or the channel's key and account. */
export type Concern = 'request' | 'model' | 'account';

export interface Forbidden {
  message: string;
  type: string;
  code: string | number | null;
  /** Google's `ErrorInfo.reason`. */
  reason?: string | undefined;
  /** OpenRouter's `error.metadata`. */
  metadata?: unknown;
  /** What this provider names a refused key by. */
  codesOfKey?: readonly string[] | undefined;
}

/**
 * Of xAI: https://github.com/theopenco/llmgateway/pull/1785; of Gemini, where a caller names somebody's file or cache:
 * https://github.com/googleapis/python-genai/issues/1218
 */
const requestMessages = [
  'Content violates usage guidelines',
  'You do not have permission to access the File ',
  'CachedContent not found (or permission denied)',
];

/**
 * OpenAI: a project without that model; Groq: https://console.groq.com/docs/model-permissions; Alibaba:
 * https://help.aliyun.com/en/model-studio/error-code
 */
const modelCodes: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_permission_blocked_org',
  'model_permission_blocked_project',
  'Model.AccessDenied',
  'model_access_denied',
  'AllocationQuota.FreeTierOnly',
]);
/** https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const modelMessages = ["You don't have access to the model "];

/** By which upstreams say, whatever the status, that the account that calls them is refused. */
export const accountCodes: readonly string[] = [
  'invalid_api_key',
  'account_deactivated',
  'billing_not_active',
  'insufficient_quota',
  'insufficient_user_quota',
];
/** Those of them that are types of an error, too. */
export const quotaTypes: readonly string[] = ['insufficient_quota', 'insufficient_user_quota', 'authentication_error'];
/** What Alibaba and Anthropic say with a 403. */
const moreAccountNames = ['Arrearage', 'AccessDenied.Unpurchased', 'billing_error'];
const accountNames: ReadonlySet<string> = new Set([...accountCodes, ...quotaTypes, ...moreAccountNames]);
/** https://docs.cloud.google.com/docs/reference/errors/google.api#errorreason: those that no field of a request brings about. */
const accountReasons =
  /^(?:API_KEY_\w+|CONSUMER_\w+|ACCESS_TOKEN_\w+|ACCOUNT_STATE_INVALID|BILLING_DISABLED|SERVICE_DISABLED|CREDENTIALS_MISSING|USER_PROJECT_DENIED|SERVICE_NOT_VISIBLE)$/;

/** Undefined: it may be about anything. */
export function concernOf({ message, type, code, reason, metadata, codesOfKey }: Forbidden): Concern | undefined {
  const name = String(code);
  if (isModerated(metadata) || requestMessages.some((start) => message.startsWith(start))) return 'request';
  if (modelCodes.has(name) || modelMessages.some((start) => message.startsWith(start))) return 'model';
  const isOfAccount =
    accountNames.has(name) || accountNames.has(type) || codesOfKey?.includes(name) === true || accountReasons.test(reason ?? '');
  return isOfAccount ? 'account' : undefined;
}

/** https://openrouter.ai/docs/api/reference/errors-and-debugging */
function isModerated(metadata: unknown): boolean {
  return isObject(metadata) && (Array.isArray(metadata['reasons']) || typeof metadata['flagged_input'] === 'string');
}
