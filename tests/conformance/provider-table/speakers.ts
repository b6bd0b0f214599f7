// A chat in every client format, and the end of its stream.
import type { clientDialects } from '#server/formats/registry.ts';

export interface Speaker {
  path(model: string, stream: boolean): string;
  body(model: string, stream: boolean): object;
  /** A text that ends every stream that is whole. */
  end: string;
}

/** Prompt of all of them. */
export const text = 'When is high water in Brest?';
const at = (path: string) => () => path;

/** Of every client format: one that is missing fails the table. */
export const speakers: Readonly<Record<keyof typeof clientDialects, Speaker>> = {
  'openai-chat': {
    path: at('/v1/chat/completions'),
    body: (model, stream) => ({
      model,
      stream,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: text },
      ],
      max_tokens: 50,
      top_p: 1,
      presence_penalty: 0,
      user: 'caller-1',
    }),
    end: 'data: [DONE]',
  },
  'openai-responses': {
    path: at('/v1/responses'),
    body: (model, stream) => ({ model, stream, input: text, instructions: 'Be brief.', max_output_tokens: 50, store: false }),
    end: 'event: response.completed',
  },
  claude: {
    path: at('/v1/messages'),
    body: (model, stream) => ({ model, stream, max_tokens: 50, system: 'Be brief.', messages: [{ role: 'user', content: text }] }),
    end: 'event: message_stop',
  },
  gemini: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { maxOutputTokens: 50 },
    }),
    end: '"finishReason"',
  },
  'gemini-interactions': {
    path: at('/v1beta/interactions'),
    body: (model, stream) => ({ model, stream, input: text, generation_config: { max_output_tokens: 50 }, store: false }),
    end: 'interaction.completed',
  },
  'openai-completions': {
    path: at('/v1/completions'),
    body: (model, stream) => ({ model, stream, prompt: text, max_tokens: 50 }),
    end: 'data: [DONE]',
  },
  'openai-mixed': {
    path: at('/v1/chat/completions'),
    body: (model, stream) => ({
      model,
      stream,
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text }] },
      ],
      store: false,
    }),
    end: 'data: [DONE]',
  },
};
