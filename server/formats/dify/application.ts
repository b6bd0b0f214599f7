// Converts a chat message to the requests of other application types. https://docs.dify.ai/en/api-reference/workflow-runs/run-workflow
// https://docs.dify.ai/en/api-reference/completion-messages/send-completion-message
import { isObject } from '#server/framing/loose-json.ts';
import { readDifyApp } from '#shared/dify-app.ts';

type Body = Readonly<Record<string, unknown>>;

/** @param application type in the channel's settings */
export function forApplication(body: Body, application: string): Body {
  const app = readDifyApp(application);
  if (app === null || app.kind === 'chat') return body;
  const { query, inputs, auto_generate_name: _name, ...rest } = body;
  return { ...rest, inputs: { ...(isObject(inputs) ? inputs : {}), [app.input]: typeof query === 'string' ? plainText(query) : query } };
}

const alone = /^USER: \n([\s\S]*)\n$/;
const heading = /(?:^|\n)(?:SYSTEM|USER|ASSISTANT): \n/;

/** Removes the heading of a query that is a single user message. */
function plainText(query: string): string {
  const [, text] = alone.exec(query) ?? [];
  return text === undefined || heading.test(text) ? query : text;
}
