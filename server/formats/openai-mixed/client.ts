// Cursor's requests to the path of chat completions: Responses bodies, and chat completions with tools in the form of Responses. The
// response is a chat completion. Both formats are parameters, so this one imports neither.
import { fieldRules } from '#shared/field-rules.ts';
import { requestedByBody } from '../call-address.ts';
import type { CallParameters, ClientCall, ClientDialect } from '../client-dialect.ts';
import type { CriticalMembers } from '../critical-members.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { limitsAt } from '../token-limits.ts';
import { asChat } from './as-chat.ts';
import { asResponses } from './as-responses.ts';
import { isFlat, textToolsOf } from './tools.ts';

type ChatFormat = ClientDialect & { readonly calls: { readonly chat: ClientCall } };

const tokenLimit = 1_073_741_823;
/** Several limits count as one, the largest. */
const limitNames = ['max_output_tokens', 'max_completion_tokens', 'max_tokens'] as const;
const limits = limitsAt(...limitNames);

/** @param chat format of responses */
export function mixedClient({ chat, responses }: { chat: ChatFormat; responses: ChatFormat }) {
  const formOf = (body: Body) =>
    isOfResponses(body)
      ? { format: responses, body: asResponses(body, limits.read(body)) }
      : { format: chat, body: asChat(body, limits.read(body)) };

  // Chat completions are not stored.
  const { metadata: _metadata, ...others } = responses.clientFields;
  const clientFields = { ...others, ...(chat.clientFields.metadata === undefined ? {} : { metadata: chat.clientFields.metadata }) };

  function check(body: Body): void {
    const fields = new StrictFields(body);
    for (const name of limitNames) fields.integer(name, 1, tokenLimit);
    fields.object('stream_options');
    fields.objects('tools');
    const { format, body: written } = formOf(body);
    // A field that Responses do not have would be dropped silently.
    if (format === responses && (fields.integer('n', 1, tokenLimit) ?? 1) !== 1) throw badField('n', fieldRules.oneOf(['1']));
    format.calls.chat.check(written);
  }

  function parameters(body: Body): CallParameters {
    const { format, body: written } = formOf(body);
    const wantsUsage = new StrictFields(body).object('stream_options')?.['include_usage'] === true;
    return { ...format.calls.chat.parameters(written), maxTokens: limits.read(body) ?? 0, wantsUsage };
  }

  return {
    ...chat,
    name: 'openai-mixed',
    title: 'OpenAI Responses within Chat Completions',
    calls: {
      chat: {
        read: requestedByBody,
        check,
        parameters,
        promptContent(body, model, isLarge) {
          const { format, body: written } = formOf(body);
          return format.calls.chat.promptContent(written, model, isLarge);
        },
        withMedia(body, mediaOf) {
          const { withMedia } = (isOfResponses(body) ? responses : chat).calls.chat;
          return withMedia?.(body, mediaOf) ?? body;
        },
        names: bothNames(responses.calls.chat.names, chat.calls.chat.names),
        responseFields: (body) => ({ text_tools: textToolsOf(body) }),
      },
    },
    isShapeOf: (body: Body) => (body['input'] !== undefined && isOfResponses(body)) || (body['tools'] !== undefined && isFlat(body)),
    limits,
    clientFields,
    holdsObjectsOf: responses.name,
    readRequest(body: Body) {
      const { format, body: written } = formOf(body);
      const request = format.readRequest(written);
      return format === responses ? { ...request, clientFields } : request;
    },
    jsonTexts: {
      argumentsIn: (body: Body) => (isOfResponses(body) ? responses : chat).jsonTexts?.argumentsIn?.(body) ?? [],
      resultsIn: (body: Body) => (isOfResponses(body) ? responses : chat).jsonTexts?.resultsIn?.(body) ?? [],
    },
    *schemasIn(body: Body) {
      yield* responses.schemasIn?.(body) ?? [];
      yield* chat.schemasIn?.({ ...body, tools: undefined }) ?? [];
    },
    beginningOf(body: Body) {
      const format = isOfResponses(body) ? responses : chat;
      return format.beginningOf?.(body) ?? { text: '', said: '', reported: 0, turns: 0, hasTools: false };
    },
    sessionIn: (body: Body) => (isOfResponses(body) ? responses : chat).sessionIn?.(body) ?? null,
  } satisfies ClientDialect;
}

function isOfResponses({ input, messages }: Body): boolean {
  return input !== undefined && input !== null && (messages === undefined || messages === null);
}

/** Members of both formats. `first` determines opaque content. */
function bothNames(first: CriticalMembers, second: CriticalMembers): CriticalMembers {
  return {
    exact: new Set([...first.exact, ...second.exact]),
    opaque: first.opaque,
    intended: (name) => first.intended(name) ?? second.intended(name),
  };
}
