// Adapts tool calls of a conversation to the next provider: ids by its rule, JSON objects as arguments.
import { isObject } from '#server/framing/loose-json.ts';
import { type CallIdRule, fittingIds, type IdUse } from '../call-id-rules.ts';
import { ArgumentsCheck } from '../tool-arguments.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the same list if nothing changes. */
export function fitCalls(messages: readonly unknown[], rule: CallIdRule): readonly unknown[] {
  const uses = messages.flatMap(usesIn);
  if (uses.length === 0) return messages;
  const ids = fittingIds(uses, rule) ?? uses.map(({ id }) => id);
  let at = 0;
  const nextId = () => ids[at++] ?? '';
  const check = new ArgumentsCheck();
  const fitted = messages.map((message) => fitMessage(message, nextId, check));
  return fitted.some((message, index) => message !== messages[index]) ? fitted : messages;
}

function usesIn(message: unknown, turn: number): IdUse[] {
  if (!isObject(message)) return [];
  if (isResult(message)) return [{ kind: 'result', id: message.tool_call_id, turn }];
  return callsOf(message).flatMap((call) => (hasId(call) ? [{ kind: 'call' as const, id: call.id, turn }] : []));
}

function fitMessage(message: unknown, nextId: () => string, check: ArgumentsCheck): unknown {
  if (!isObject(message)) return message;
  if (isResult(message)) {
    const id = nextId();
    return id === message.tool_call_id ? message : { ...message, tool_call_id: id };
  }
  const calls = callsOf(message);
  if (calls.length === 0) return message;
  const fitted = calls.map((call) => fitCall(call, hasId(call) ? nextId() : undefined, check));
  return fitted.some((call, index) => call !== calls[index]) ? { ...message, tool_calls: fitted } : message;
}

function fitCall(call: unknown, id: string | undefined, check: ArgumentsCheck): unknown {
  if (!isObject(call)) return call;
  const { function: called } = call;
  const written = isObject(called) && typeof called.arguments === 'string' ? called.arguments : undefined;
  const sound = written === undefined ? undefined : check.sound(written);
  if (sound === written && (id === undefined || id === call.id)) return call;
  return {
    ...call,
    ...(id === undefined ? {} : { id }),
    ...(isObject(called) && sound !== written ? { function: { ...called, arguments: sound } } : {}),
  };
}

function isResult(message: Json): message is Json & { tool_call_id: string } {
  return message['role'] === 'tool' && typeof message['tool_call_id'] === 'string';
}

function hasId(call: unknown): call is Json & { id: string } {
  return isObject(call) && typeof call.id === 'string';
}

function callsOf({ role, tool_calls: calls }: Json): readonly unknown[] {
  return role === 'assistant' && Array.isArray(calls) ? calls : [];
}
