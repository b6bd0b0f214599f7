// Dify's applications in terms of OpenAI's chat: requests are taken strictly and become such, responses are made from such. Pure: the server
// is in `fake-dify.ts`.
import { demand, hasOnly, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const fields = ['inputs', 'query', 'response_mode', 'user', 'auto_generate_name', 'files'];

/** What a request is as a chat completion request, or why it is refused. @param model of the application @param left whose files lie there, by their ids */
export function chatOf(body: Json, model: string, left: ReadonlyMap<string, string> = new Map()): ReadRequest {
  return readStrictly(() => {
    const { inputs, query, response_mode: mode, user, files = [] } = body;
    demand(hasOnly(body, fields), 'unknown field');
    demand(isObject(inputs), 'inputs is required in input form');
    demand(typeof query === 'string' && query !== '', 'query is required');
    demand(mode === 'blocking' || mode === 'streaming', 'response_mode must be blocking or streaming');
    demand(typeof user === 'string' && user !== '', 'user is required');
    demand(Array.isArray(files), 'files must be a list');
    const pictures = files.map((file) => readFile(file, (id) => left.get(id) === user));
    const content = pictures.length === 0 ? query : [{ type: 'text', text: query }, ...pictures];
    const messages = [{ role: 'user', content }];
    return { model, messages, ...(mode === 'streaming' ? { stream: true, stream_options: { include_usage: true } } : {}) };
  });
}

/** Builds the same for a text generator or a workflow, whose variable `input` holds the question, among other variables of type text. */
export function runOf(
  body: Json,
  { model, input, left = new Map() }: { model: string; input: string; left?: ReadonlyMap<string, string> },
): ReadRequest {
  return readStrictly(() => {
    const { inputs, query, auto_generate_name: name, ...rest } = body;
    demand(query === undefined && name === undefined, 'unknown field');
    demand(isObject(inputs) && Object.values(inputs).every((value) => typeof value === 'string'), 'inputs must be texts');
    const read = chatOf({ ...rest, inputs: {}, query: inputs[input] ?? '', auto_generate_name: false }, model, left);
    if ('fault' in read) demand(false, read.fault.replace('query', input));
    else return read.requested;
    return {};
  });
}

function readFile(file: unknown, isOwn: (id: string) => boolean): Json {
  demand(isObject(file) && hasOnly(file, ['type', 'transfer_method', 'url', 'upload_file_id']), 'a file has an unknown field');
  const { type, transfer_method: method, url, upload_file_id: id } = file;
  demand(type === 'image' || type === 'document', 'the type of a file is not known');
  if (method === 'local_file') {
    demand(typeof id === 'string' && isOwn(id) && url === undefined, 'Invalid upload file');
    return { type: 'image_url', image_url: { url: `https://files.example/${id}` } };
  }
  demand(method === 'remote_url' && typeof url === 'string' && /^https?:/.test(url), 'a file needs an address');
  return { type: 'image_url', image_url: { url } };
}

/** A chat completion in this format. */
export function difyOf({ id, created, choices, usage }: Json): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { content } = Object(Object(choice).message);
  return {
    event: 'message',
    message_id: id,
    conversation_id: id,
    mode: 'chat',
    answer: content ?? '',
    metadata: { usage },
    created_at: created,
  };
}

/** Chunks of a chat completion become events, each by itself. */
export function difyEvents(): (chunk: Json) => Json[] {
  return ({ id, choices, usage }) => {
    const frame = { task_id: 't1', message_id: id, conversation_id: id };
    const [choice] = Array.isArray(choices) ? choices : [];
    const { content } = Object(Object(choice).delta);
    // The usage comes last.
    if (isObject(usage)) return [{ event: 'message_end', ...frame, metadata: { usage } }];
    return typeof content === 'string' && content !== '' ? [{ event: 'message', ...frame, answer: content }] : [];
  };
}

/** A chat completion as the run of a workflow. */
export function runResultOf({ id, created, choices, usage }: Json): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { content } = Object(Object(choice).message);
  const data = {
    id,
    workflow_id: 'wf1',
    status: 'succeeded',
    outputs: { summary: content ?? '' },
    error: null,
    total_tokens: Object(usage).total_tokens,
  };
  return { workflow_run_id: id, task_id: 't1', data: { ...data, elapsed_time: 1, total_steps: 3, created_at: created } };
}

/** Chunks of a chat completion become events of a workflow: its nodes, its text, its end. */
export function runEvents(): (chunk: Json) => Json[] {
  let reported = '';
  return ({ id, choices, usage }) => {
    const frame = { task_id: 't1', workflow_run_id: id };
    const [choice] = Array.isArray(choices) ? choices : [];
    const { content } = Object(Object(choice).delta);
    if (isObject(usage)) {
      const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
      const node = {
        id: 'n1',
        node_type: 'llm',
        status: 'succeeded',
        process_data: { usage: { prompt_tokens: prompt, completion_tokens: completion } },
      };
      const run = { id, workflow_id: 'wf1', status: 'succeeded', outputs: { summary: reported }, error: null, total_tokens: total };
      return [
        { event: 'node_finished', ...frame, data: node },
        { event: 'workflow_finished', ...frame, data: run },
      ];
    }
    if (typeof content !== 'string' || content === '') return [];
    reported += content;
    return [{ event: 'text_chunk', ...frame, data: { text: content, from_variable_selector: ['n1', 'text'] } }];
  };
}
