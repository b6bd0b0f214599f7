// Adapts tool calls of a conversation to the next provider: ids by its rule, JSON objects as arguments.
import { isObject } from '#server/framing/loose-json.ts';
import { type CallIdRule, fittingIds, type IdUse } from '../call-id-rules.ts';
import { ArgumentsCheck } from '../tool-arguments.ts';

type Body = Readonly<Record<string, unknown>>;
type CallItem = Body & { type: string; call_id: string };

/** Returns the same body if nothing changes. */
export function fitCalls(body: Body, rule: CallIdRule): Body {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const uses = usesIn(input);
  if (uses.length === 0) return body;
  const ids = fittingIds(uses, rule) ?? uses.map(({ id }) => id);
  let at = 0;
  const check = new ArgumentsCheck();
  const fitted = input.map((item: unknown) => (isOfCall(item) ? fitItem(item, ids[at++] ?? '', check) : item));
  return fitted.some((item, index) => item !== input[index]) ? { ...body, input: fitted } : body;
}

/** Returns the uses of call ids by turn: consecutive call items belong to one turn. */
function usesIn(input: readonly unknown[]): IdUse[] {
  const uses: IdUse[] = [];
  for (const item of input) {
    if (!isOfCall(item)) continue;
    const kind = item.type.endsWith('_output') ? 'result' : 'call';
    const last = uses.at(-1);
    const turn = last === undefined ? 0 : last.turn + (last.kind === 'result' && kind === 'call' ? 1 : 0);
    uses.push({ kind, id: item.call_id, turn });
  }
  return uses;
}

function isOfCall(item: unknown): item is CallItem {
  return isObject(item) && typeof item.type === 'string' && typeof item.call_id === 'string';
}

function fitItem(item: CallItem, id: string, check: ArgumentsCheck): Body {
  const { type, arguments: written } = item;
  const sound = type === 'function_call' && typeof written === 'string' ? check.sound(written) : written;
  if (item.call_id === id && sound === written) return item;
  return { ...item, call_id: id, ...(sound === written ? {} : { arguments: sound }) };
}
