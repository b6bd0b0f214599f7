// Everything that does not survive the way from one format to another, as data: what is refused, what is left out and named,
// what is written otherwise. `docs/translation.md` is made from it, and a test tries every row.
import type { OnlyField } from './only-field.ts';
import { clientDialects, upstreamDialects } from './registry.ts';

export interface TranslationRow {
  /** Name of the client dialect and of the upstream dialect. */
  from: string;
  to: string;
  /** As the caller reads it in the error or in `x-tidegate-dropped`. */
  field: string;
  treatment: 'refused' | 'dropped';
  about: string;
  /** Fields of a request that show it. */
  example: Readonly<Record<string, unknown>>;
  /** Upstream model that it is about; others may take the field. */
  model?: string;
}

const chat = 'openai-chat';
const claude = 'claude';
const userPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

export const translationTable: readonly TranslationRow[] = [
  ...rowsOfOnlyFields(),
  {
    from: chat,
    to: claude,
    field: 'messages.0.content',
    treatment: 'refused',
    about: 'spoken input, files by id, and files that are not PDF',
    example: userPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
  },
  {
    from: chat,
    to: claude,
    field: 'response_format',
    treatment: 'dropped',
    about: '`json_object` only: there is no JSON without a schema, and the prompt has to ask for it',
    example: { response_format: { type: 'json_object' } },
  },
  {
    from: chat,
    to: claude,
    field: 'reasoning_effort',
    treatment: 'dropped',
    about: 'for models that do not think, with a forced tool, and where the thoughts behind tool calls are missing',
    example: { reasoning_effort: 'high' },
    model: 'claude-3-5-haiku-20241022',
  },
  {
    from: chat,
    to: claude,
    field: 'temperature',
    treatment: 'dropped',
    about: 'while the model thinks, like `top_p` and `top_k`; otherwise values above 1 become 1',
    example: { reasoning_effort: 'high', temperature: 0.2 },
  },
  {
    from: chat,
    to: claude,
    field: 'reasoning_content',
    treatment: 'dropped',
    about: 'thoughts without a signature (`reasoning_details` carries it)',
    example: {
      messages: [
        { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  {
    from: chat,
    to: claude,
    field: 'image_url.detail',
    treatment: 'dropped',
    about: 'size of images',
    example: userPart({ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } }),
  },
  {
    from: chat,
    to: claude,
    field: 'messages.name',
    treatment: 'dropped',
    about: 'names of people',
    example: { messages: [{ role: 'user', name: 'ann', content: 'Hello' }] },
  },
  {
    from: claude,
    to: chat,
    field: 'tools.0.type',
    treatment: 'refused',
    about: 'tools that run at the provider, such as its web search, and blocks with their results',
    example: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  },
  {
    from: claude,
    to: chat,
    field: 'messages.0.content',
    treatment: 'refused',
    about: 'images and documents by id, documents by address',
    example: userPart({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
  },
  { from: claude, to: chat, field: 'top_k', treatment: 'dropped', about: 'sampling', example: { top_k: 5 } },
  {
    from: claude,
    to: chat,
    field: 'thinking',
    treatment: 'dropped',
    about: 'for models that do not think; others get an effort by the budget',
    example: { thinking: { type: 'enabled', budget_tokens: 2048 } },
  },
  {
    from: claude,
    to: chat,
    field: 'output_config.effort',
    treatment: 'dropped',
    about: 'for models that do not think',
    example: { output_config: { effort: 'high' } },
  },
  {
    from: claude,
    to: chat,
    field: 'thinking blocks',
    treatment: 'dropped',
    about: 'thoughts of earlier turns',
    example: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'text', text: 'Hi' },
          ],
        },
        { role: 'user', content: 'Hello' },
      ],
    },
  },
  {
    from: claude,
    to: chat,
    field: 'is_error',
    treatment: 'dropped',
    about: 'failure of a tool, beyond what its result says',
    example: userPart({ type: 'tool_result', tool_use_id: 't1', content: 'Not found', is_error: true }),
  },
];

/** What only one format has is lost on the way to any other. */
function rowsOfOnlyFields(): TranslationRow[] {
  return Object.values(clientDialects).flatMap((client) =>
    Object.values(upstreamDialects).flatMap((upstream) =>
      upstream.name === client.name ? [] : rowsOf(client.name, upstream.name, client.onlyFields),
    ),
  );
}

function rowsOf(from: string, to: string, fields: Readonly<Record<string, OnlyField>>): TranslationRow[] {
  return Object.entries(fields).map(([field, { isEssential, about, example }]) => ({
    from,
    to,
    field,
    treatment: isEssential ? 'refused' : 'dropped',
    about,
    example: { [field]: example },
  }));
}
