// Words of OpenTelemetry's conventions for kinds of calls and providers.
// https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/registry/attributes/gen-ai.md

const operations: Readonly<Record<string, string>> = { completions: 'text_completion', fim: 'text_completion' };

/** `gen_ai.operation.name` of a kind of call; kinds without a word of the convention have their own name. */
export function operationOf(kind: string): string {
  return operations[kind] ?? kind;
}

const providers: Readonly<Record<string, string>> = {
  'Anthropic Claude': 'anthropic',
  'AWS Bedrock': 'aws.bedrock',
  Azure: 'azure.ai.openai',
  'Google Gemini': 'gcp.gemini',
  VertexAi: 'gcp.vertex_ai',
  Mistral: 'mistral_ai',
  Moonshot: 'moonshot_ai',
  Xai: 'x_ai',
  Codex: 'openai',
};

/** `gen_ai.provider.name` of a provider by its record's name. */
export function providerNameOf(name: string | undefined): string {
  if (name === undefined) return 'none';
  return providers[name] ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
}
