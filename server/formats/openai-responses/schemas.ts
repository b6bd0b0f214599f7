import { objectsIn } from '../json-texts.ts';

type Body = Readonly<Record<string, unknown>>;

export function* schemasIn({ tools, text, input }: Body): Iterable<unknown> {
  yield* toolsIn(tools);
  // Tools in input items.
  for (const item of objectsIn(input)) yield* toolsIn(item['tools']);
  yield text;
}

/** Yields the schemas of tools, including those in namespaces. */
function* toolsIn(tools: unknown): Iterable<unknown> {
  for (const tool of objectsIn(tools)) {
    const { tools: inner, ...own } = tool;
    yield own;
    if (Array.isArray(inner)) yield* inner;
  }
}
