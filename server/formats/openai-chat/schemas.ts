type Body = Readonly<Record<string, unknown>>;

export function* schemasIn({ tools, functions, response_format: format }: Body): Iterable<unknown> {
  if (Array.isArray(tools)) yield* tools;
  if (Array.isArray(functions)) yield* functions;
  yield format;
}
