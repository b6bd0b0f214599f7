import { objectsIn } from '../json-texts.ts';

type Body = Readonly<Record<string, unknown>>;

export function* schemasIn({ tools, text, input }: Body): Iterable<unknown> {
  yield* toolsIn(tools);
  // Tools within the conversation.
  for (const item of objectsIn(input)) yield* toolsIn(item['tools']);
  yield text;
}

/** Includes tools of a namespace. */
function* toolsIn(tools: unknown): Iterable<unknown> {
  for (const tool of objectsIn(tools)) {
    const { tools: inner, ...own } = tool;
    yield own;
    if (Array.isArray(inner)) yield* inner;
  }
}
