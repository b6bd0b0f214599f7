// Bedrock's Converse in terms of Claude's Messages: requests are taken strictly and become such, responses are made from such. Pure: the
// server is in `fake-bedrock.ts`.
import { demand, hasOnly, isBase64, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

/** What a request is as a Messages request, or why it is refused. */
export function messagesOf(body: Json, model: string, stream: boolean): ReadRequest {
  return readStrictly(() => new ConverseRequest(body).messages(model, stream));
}

class ConverseRequest {
  readonly #body: Json;
  readonly #names = new Set<string>();
  #hasTools = false;

  constructor(body: Json) {
    this.#body = body;
  }

  messages(model: string, stream: boolean): Json {
    const {
      messages,
      system,
      inferenceConfig: config = {},
      toolConfig,
      additionalModelRequestFields: further = {},
      outputConfig,
    } = this.#body;
    const known = ['messages', 'system', 'inferenceConfig', 'toolConfig', 'additionalModelRequestFields', 'outputConfig'];
    demand(hasOnly(this.#body, known), 'Extra inputs are not permitted');
    demand(Array.isArray(messages) && messages.length > 0, 'The messages field is required');
    demand(isObject(config) && hasOnly(config, ['maxTokens', 'temperature', 'topP', 'stopSequences']), 'inferenceConfig: extraneous key');
    const { maxTokens = 4096, temperature, topP, stopSequences } = config;
    demand(typeof maxTokens === 'number' && maxTokens >= 1, 'inferenceConfig.maxTokens: minimum value of 1');
    demand(temperature === undefined || (typeof temperature === 'number' && temperature <= 1), 'temperature: maximum value of 1');
    const requested: Json = { model, stream, max_tokens: maxTokens, messages: messages.map((message) => this.#message(message)) };
    if (temperature !== undefined) requested['temperature'] = temperature;
    if (topP !== undefined) requested['top_p'] = topP;
    if (stopSequences !== undefined) requested['stop_sequences'] = stopSequences;
    if (system !== undefined) requested['system'] = this.#blocks(system);
    demand(
      !this.#hasTools || toolConfig !== undefined,
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    );
    if (toolConfig !== undefined) Object.assign(requested, toolsOf(toolConfig));
    demand(isObject(further) && hasOnly(further, ['inferenceConfig', 'reasoningConfig', 'reasoning_effort']), 'unknown model field');
    const { reasoningConfig, reasoning_effort: effort } = further;
    const isThinking = effort !== undefined || (isObject(reasoningConfig) && reasoningConfig['type'] === 'enabled');
    if (isThinking) {
      requested['thinking'] = { type: 'adaptive' };
      delete requested['temperature'];
    }
    if (outputConfig !== undefined) requested['output_config'] = { format: formatOf(outputConfig) };
    return requested;
  }

  #message(message: unknown): Json {
    demand(isObject(message) && hasOnly(message, ['role', 'content']), 'messages: extraneous key');
    const { role, content } = message;
    const blocks: unknown[] = Array.isArray(content) ? content : [];
    const hasDocument = blocks.some((block) => isObject(block) && 'document' in block);
    demand(!hasDocument || blocks.some((block) => isObject(block) && 'text' in block), 'A document needs a text beside it');
    return { role, content: this.#blocks(content) };
  }

  /** A mark belongs to the block before it. */
  #blocks(content: unknown): Json[] {
    demand(Array.isArray(content) && content.length > 0, 'content: must not be empty');
    const blocks: Json[] = [];
    for (const block of content) {
      demand(isObject(block) && Object.keys(block).length === 1, 'A block has exactly one member');
      const last = blocks.at(-1);
      if ('cachePoint' in block) {
        demand(last !== undefined && isObject(block.cachePoint) && block.cachePoint['type'] === 'default', 'cachePoint: invalid');
        last['cache_control'] = { type: 'ephemeral' };
      } else blocks.push(this.#block(block));
    }
    return blocks;
  }

  #block({ text, image, document, toolUse, toolResult, reasoningContent }: Json): Json {
    if (typeof text === 'string') {
      demand(text !== '', 'The text field in the ContentBlock object is blank');
      return { type: 'text', text };
    }
    if (isObject(image)) {
      demand(['png', 'jpeg', 'gif', 'webp'].includes(String(image['format'])), 'image.format: invalid');
      return { type: 'image', source: { type: 'base64', media_type: `image/${String(image['format'])}`, data: bytesOf(image) } };
    }
    if (isObject(document)) {
      const name = String(document['name']);
      demand(/^[a-zA-Z0-9()[\]-]+(?: [a-zA-Z0-9()[\]-]+)*$/.test(name), 'document.name: invalid');
      demand(!this.#names.has(name), 'document.name: there is one already');
      this.#names.add(name);
      return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: bytesOf(document) }, title: name };
    }
    if (isObject(reasoningContent)) return thoughtOf(reasoningContent);
    this.#hasTools = true;
    const { toolUseId } = Object(toolUse ?? toolResult);
    demand(typeof toolUseId === 'string' && /^[\w-]{1,64}$/.test(toolUseId), 'toolUseId: invalid');
    if (isObject(toolUse)) {
      demand(isObject(toolUse['input']), 'toolUse.input: not an object');
      return { type: 'tool_use', id: toolUseId, name: toolUse['name'], input: toolUse['input'] };
    }
    demand(isObject(toolResult), 'Unknown block');
    const isError = toolResult['status'] === 'error' ? { is_error: true } : {};
    return { type: 'tool_result', tool_use_id: toolUseId, content: this.#blocks(toolResult['content']), ...isError };
  }
}

function thoughtOf({ reasoningText, redactedContent }: Json): Json {
  if (typeof redactedContent === 'string') return { type: 'redacted_thinking', data: redactedContent };
  demand(isObject(reasoningText), 'reasoningContent: invalid');
  return { type: 'thinking', thinking: reasoningText['text'], signature: reasoningText['signature'] };
}

function bytesOf({ source }: Json): string {
  demand(isObject(source) && hasOnly(source, ['bytes']) && typeof source['bytes'] === 'string', 'source: invalid');
  demand(isBase64(source['bytes']), 'source.bytes: invalid');
  return source['bytes'];
}

function toolsOf(toolConfig: unknown): Json {
  demand(isObject(toolConfig) && hasOnly(toolConfig, ['tools', 'toolChoice']), 'toolConfig: extraneous key');
  const { tools, toolChoice: choice } = toolConfig;
  demand(Array.isArray(tools) && tools.length > 0, 'toolConfig.tools: minimum length of 1');
  const written = tools.map((tool: unknown) => {
    const { name, description, inputSchema } = Object(Object(tool).toolSpec);
    const json: unknown = Object(inputSchema).json;
    demand(typeof name === 'string' && isObject(json) && json['type'] === 'object', 'toolSpec: invalid');
    return { name, input_schema: json, ...(description === undefined ? {} : { description }) };
  });
  if (choice === undefined) return { tools: written };
  demand(isObject(choice) && hasOnly(choice, ['any', 'tool', 'auto']) && Object.keys(choice).length === 1, 'toolChoice: invalid');
  const { tool } = choice;
  return { tools: written, tool_choice: isObject(tool) ? { type: 'tool', name: tool['name'] } : { type: Object.keys(choice)[0] } };
}

function formatOf(config: unknown): Json {
  const { type, structure } = Object(Object(config).textFormat);
  const schema: unknown = Object(Object(structure).jsonSchema).schema;
  demand(type === 'json_schema' && typeof schema === 'string', 'outputConfig: invalid');
  return { type, schema: JSON.parse(schema) };
}

const stopReasons: Readonly<Record<string, string>> = { refusal: 'content_filtered', pause_turn: 'end_turn' };

function stopReasonOf(reason: unknown): unknown {
  return stopReasons[String(reason)] ?? reason;
}

/** A Messages response in this format. */
export function converseOf({ content, stop_reason: reason, usage }: Json): Json {
  const blocks = (Array.isArray(content) ? content.filter(isObject) : []).map(blockOf);
  const message = { role: 'assistant', content: blocks };
  return { output: { message }, stopReason: stopReasonOf(reason), usage: usageOf(Object(usage)), metrics: { latencyMs: 7 } };
}

function blockOf({ type, text, thinking, signature, data, id, name, input }: Json): Json {
  if (type === 'tool_use') return { toolUse: { toolUseId: id, name, input } };
  if (type === 'thinking') return { reasoningContent: { reasoningText: { text: thinking, signature } } };
  return type === 'redacted_thinking' ? { reasoningContent: { redactedContent: data } } : { text };
}

function usageOf({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
}: Json): Json {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: Number(input) + Number(output),
    ...(read === undefined ? {} : { cacheReadInputTokens: read }),
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
  };
}

export interface ConverseEvent {
  name: string;
  data: Json;
}

/** Events of a Messages stream become those of this format, each by itself. */
export function converseEvents(): (event: Json) => ConverseEvent[] {
  let usage: Json = {};
  return (event) => {
    const { type, index: contentBlockIndex, message, content_block: block, delta = {} } = event;
    switch (type) {
      case 'message_start':
        usage = { ...Object(Object(message).usage) };
        return [{ name: 'messageStart', data: { role: 'assistant' } }];
      case 'content_block_start':
        return beginOf(Object(block), contentBlockIndex);
      case 'content_block_delta':
        return [{ name: 'contentBlockDelta', data: { delta: deltaOf(Object(delta)), contentBlockIndex } }];
      case 'content_block_stop':
        return [{ name: 'contentBlockStop', data: { contentBlockIndex } }];
      case 'message_delta':
        usage = { ...usage, ...Object(event['usage']) };
        return [{ name: 'messageStop', data: { stopReason: stopReasonOf(Object(delta).stop_reason) } }];
      case 'message_stop':
        return [{ name: 'metadata', data: { usage: usageOf(usage), metrics: { latencyMs: 7 } } }];
      default:
        return [];
    }
  };
}

/** Only calls are begun; everything else is there with its first piece. */
function beginOf({ type, id, name, data }: Json, contentBlockIndex: unknown): ConverseEvent[] {
  if (type === 'tool_use') return [{ name: 'contentBlockStart', data: { start: { toolUse: { toolUseId: id, name } }, contentBlockIndex } }];
  if (type !== 'redacted_thinking') return [];
  return [{ name: 'contentBlockDelta', data: { delta: { reasoningContent: { redactedContent: data } }, contentBlockIndex } }];
}

function deltaOf({ type, text, partial_json: input, thinking, signature }: Json): Json {
  if (type === 'input_json_delta') return { toolUse: { input } };
  if (type === 'thinking_delta') return { reasoningContent: { text: thinking } };
  return type === 'signature_delta' ? { reasoningContent: { signature } } : { text };
}
