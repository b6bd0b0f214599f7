type Body = Readonly<Record<string, unknown>>;

export function* schemasIn({ tools, output_config: config, output_format: format }: Body): Iterable<unknown> {
  if (Array.isArray(tools)) yield* tools;
  yield config;
  yield format;
}
