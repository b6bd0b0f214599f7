type Body = Readonly<Record<string, unknown>>;

export function* schemasIn({ tools, response_format: format }: Body): Iterable<unknown> {
  if (Array.isArray(tools)) yield* tools;
  if (Array.isArray(format)) yield* format;
  else yield format;
}
