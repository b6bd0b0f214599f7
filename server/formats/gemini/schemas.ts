import { objectsIn } from '../json-texts.ts';

type Body = Readonly<Record<string, unknown>>;

export function* schemasIn(body: Body): Iterable<unknown> {
  for (const tool of objectsIn(body['tools'])) {
    const declarations = tool['functionDeclarations'] ?? tool['function_declarations'];
    if (Array.isArray(declarations)) yield* declarations;
  }
  yield body['generationConfig'] ?? body['generation_config'];
}
