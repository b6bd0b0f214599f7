// One question in every format that callers speak, whole and streamed.

export interface ClientFormatCall {
  /** Of the format. */
  client: string;
  path: string;
  body: Record<string, unknown>;
}

/** The same question by every format. @param text in one piece */
export function callsOfEveryClient(model: string, text: string, isStream: boolean): readonly ClientFormatCall[] {
  const messages = [{ role: 'user', content: text }];
  const stream = isStream ? { stream: true } : {};
  const verb = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return [
    { client: 'openai-chat', path: '/v1/chat/completions', body: { model, messages, ...stream } },
    { client: 'openai-completions', path: '/v1/completions', body: { model, prompt: text, ...stream } },
    { client: 'openai-responses', path: '/v1/responses', body: { model, input: text, store: false, ...stream } },
    { client: 'claude', path: '/v1/messages', body: { model, messages, max_tokens: 100, ...stream } },
    { client: 'gemini', path: `/v1beta/models/${model}:${verb}`, body: { contents: [{ role: 'user', parts: [{ text }] }] } },
    { client: 'gemini-interactions', path: '/v1beta/interactions', body: { model, input: text, store: false, ...stream } },
  ];
}
