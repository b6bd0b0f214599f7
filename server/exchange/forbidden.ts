// Determines the cause of a 403 from its body. If it is unknown, one caller's request may be the cause: a field, a
// model, a feature that the account lacks.
import { isObject } from '#server/framing/loose-json.ts';

/** What a refusal concerns: the request, the model on this channel, or the channel's key and account. */
export type Concern = 'request' | 'model' | 'account';

export interface Forbidden {
  message: string;
  type: string;
  code: string | number | null;
  /** Google's `ErrorInfo.reason`. */
  reason?: string | undefined;
  /** OpenRouter's `error.metadata`. */
  metadata?: unknown;
  /** Codes by which this provider refuses a key. */
  codesOfKey?: readonly string[] | undefined;
}

/**
 * Beginnings of messages about the request. xAI: https://github.com/theopenco/llmgateway/pull/1785; Gemini, if a caller names another account's file or cache:
 * https://github.com/googleapis/python-genai/issues/1218
 */
const requestMessages = [
  'Content violates usage guidelines',
  'You do not have permission to access the File ',
  'CachedContent not found (or permission denied)',
];

/**
 * Codes about the model. OpenAI: a project without the model; Groq: https://console.groq.com/docs/model-permissions; Alibaba:
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
/** Messages about the model. https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const modelMessages = ["You don't have access to the model "];

/** Codes by which upstreams refuse the account, whatever the status. */
export const accountCodes: readonly string[] = [
  'invalid_api_key',
  'account_deactivated',
  'billing_not_active',
  'insufficient_quota',
  'insufficient_user_quota',
];
/** Account codes that are also error types. */
export const quotaTypes: readonly string[] = ['insufficient_quota', 'insufficient_user_quota', 'authentication_error'];
/** Codes that Alibaba and Anthropic send with a 403. */
const moreAccountNames = ['Arrearage', 'AccessDenied.Unpurchased', 'billing_error'];
const accountNames: ReadonlySet<string> = new Set([...accountCodes, ...quotaTypes, ...moreAccountNames]);
/**
 * Reasons that no field of a request can cause.
 * https://docs.cloud.google.com/docs/reference/errors/google.api#errorreason
 */
const accountReasons =
  /^(?:API_KEY_\w+|CONSUMER_\w+|ACCESS_TOKEN_\w+|ACCOUNT_STATE_INVALID|BILLING_DISABLED|SERVICE_DISABLED|CREDENTIALS_MISSING|USER_PROJECT_DENIED|SERVICE_NOT_VISIBLE)$/;

/** Returns undefined if the cause is unknown. */
export function concernOf({ message, type, code, reason, metadata, codesOfKey }: Forbidden): Concern | undefined {
  const name = String(code);
  if (isModerated(metadata) || requestMessages.some((start) => message.startsWith(start))) return 'request';
  if (modelCodes.has(name) || modelMessages.some((start) => message.startsWith(start))) return 'model';
  const isOfAccount =
    accountNames.has(name) || accountNames.has(type) || codesOfKey?.includes(name) === true || accountReasons.test(reason ?? '');
  return isOfAccount ? 'account' : undefined;
}

/** Reports whether moderation flagged the input. https://openrouter.ai/docs/api/reference/errors-and-debugging */
function isModerated(metadata: unknown): boolean {
  return isObject(metadata) && (Array.isArray(metadata['reasons']) || typeof metadata['flagged_input'] === 'string');
}
