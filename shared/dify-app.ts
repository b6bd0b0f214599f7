// What the free field of a Dify channel says of the application that its key is of. https://docs.dify.ai/en/api-reference

export interface DifyApp {
  kind: 'chat' | 'completion' | 'workflow';
  /** Variable of the application that receives the prompt. */
  input: string;
}

const form = /^(completion|workflow)(?::([A-Za-z_]\w{0,63}))?$/;

/** Empty: a chatflow or an agent. `completion` or `workflow`, with the name of its variable behind a colon. Null: none of these. */
export function readDifyApp(other: string): DifyApp | null {
  const text = other.trim();
  if (text === '' || text === 'chat') return { kind: 'chat', input: 'query' };
  const [, kind, input = 'query'] = form.exec(text) ?? [];
  return kind === 'completion' || kind === 'workflow' ? { kind, input } : null;
}
