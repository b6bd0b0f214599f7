// Ids of tool calls that Bedrock accepts.
import { isObject } from '#server/framing/loose-json.ts';
import { type CallIdRule, fittingIds, type IdUse } from '../call-id-rules.ts';

type Json = Record<string, unknown>;

interface Turn {
  content: readonly Json[];
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const rule: CallIdRule = { letters: /^[\w-]+$/, most: 64, areUnique: true };

/** Replaces ids in calls and results. */
export function fitCalls(messages: readonly Turn[]): void {
  const blocks = messages.flatMap(({ content }, turn) => content.flatMap((block) => placesIn(block, turn)));
  const ids = fittingIds(
    blocks.map(({ use }) => use),
    rule,
  );
  ids?.forEach((id, index) => {
    const block = blocks[index];
    if (block !== undefined) block.place['toolUseId'] = id;
  });
}

function placesIn({ toolUse, toolResult }: Json, turn: number): { place: Json; use: IdUse }[] {
  if (isObject(toolUse)) return [{ place: toolUse, use: { kind: 'call', id: String(toolUse['toolUseId']), turn } }];
  return isObject(toolResult) ? [{ place: toolResult, use: { kind: 'result', id: String(toolResult['toolUseId']), turn } }] : [];
}
