// Bots of Coze in front of the fake upstream: accepts its own format strictly, responds with its events, and reports a chat that does not stream only
// when polled.
import { chatEnded, chatOf, cozeEvents, messagesOf, writeCozeEvent } from './coze-responses.ts';
import { readLeft } from './fake-dify.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import type { Json } from './strict-requests.ts';

const key = 'pat_key';
const bot = '7342866812345';

export interface FakeCoze extends ProviderFront, AsyncDisposable {
  /** The bodies of the chats that it has begun, in order. */
  readonly taken: Json[];
  /** Requests about them, in order. */
  readonly requested: string[];
  /** Chats that were cancelled. */
  readonly cancelled: string[];
  /** Names of the files that lie there, by their ids. */
  readonly left: Map<string, string>;
  /** How the next chats go. */
  behave(chats: ChatBehaviour): void;
}

interface ChatBehaviour {
  /** Questions about a chat that are answered with `in_progress` before it has ended. `Infinity`: it never does. */
  working?: number;
  /** How it ends; missing: by an answer. */
  ending?: Json;
  /** Statuses that the first questions about it are answered with, whatever they are. */
  failing?: number[];
}

interface Chat {
  completion: Json;
  left: number;
}

interface State {
  taken: Json[];
  requested: string[];
  cancelled: string[];
  chats: Map<string, Chat>;
  behaviour: ChatBehaviour;
  left: Map<string, string>;
}

export async function startFakeCoze(upstreamUrl: string): Promise<FakeCoze> {
  const state: State = { taken: [], requested: [], cancelled: [], chats: new Map(), behaviour: {}, left: new Map() };
  const front = await startFront(upstreamUrl, (request) => judge(request, state));
  const { taken, requested, cancelled, left } = state;
  const behave = (behaviour: ChatBehaviour) => void (state.behaviour = behaviour);
  return {
    ...front,
    [Symbol.asyncDispose]: () => front.close(),
    taken,
    requested,
    cancelled,
    left,
    behave,
    channel: { type: 49, key, other: bot },
  };
}

async function judge(request: FrontedRequest, state: State): Promise<Judgement> {
  const { method, path, headers, body } = request;
  if (headers.authorization !== `Bearer ${key}`) return reported({ code: 4100, msg: 'authentication is invalid' });
  if (method === 'POST' && path === '/v1/files/upload') {
    const form = await readLeft(headers, body);
    if (form === null) return reported({ code: 4000, msg: 'there is no file' });
    const id = `74${state.left.size + 1}`;
    state.left.set(id, form.fileName);
    return reported({ code: 0, msg: '', data: { id, bytes: form.bytes.length, created_at: 1, file_name: form.fileName } });
  }
  if (headers['content-type'] !== 'application/json') return reported({ code: 4000, msg: 'content-type' });
  const { pathname, searchParams } = new URL(path, 'http://coze');
  if (method === 'POST' && pathname === '/v3/chat') return begin(jsonOf(body), state);
  if (method === 'POST' && pathname === '/v3/chat/cancel') {
    const { conversation_id: conversation, chat_id: chat } = jsonOf(body);
    const id = String(chat);
    if (conversation !== `conv-${id}`) return reported({ code: 4002, msg: 'invalid conversation' });
    state.cancelled.push(id);
    return reported({ code: 0, data: { id, conversation_id: conversation, status: 'canceled' } });
  }
  const id = searchParams.get('chat_id') ?? '';
  const chat = state.chats.get(id);
  if (method !== 'GET' || chat === undefined || searchParams.get('conversation_id') !== `conv-${id}`)
    return reported({ code: 4001, msg: 'invalid chat' });
  state.requested.push(pathname);
  const failing = state.behaviour.failing?.shift();
  if (failing !== undefined) return { kind: 'answer', status: failing, body: { code: 5000, msg: 'Internal error' } };
  if (pathname === '/v3/chat/retrieve') return reported({ code: 0, msg: '', data: retrieved(chat, state.behaviour) });
  if (pathname === '/v3/chat/message/list') return reported({ code: 0, msg: '', data: messagesOf(chat.completion) });
  return { kind: 'answer', status: 404, body: { code: 404, msg: 'not found' } };
}

function begin(requested: Json, state: State): Judgement {
  state.taken.push(requested);
  if (requested['bot_id'] !== bot) return reported({ code: 4006, msg: 'invalid bot' });
  const read = chatOf(requested, 'gpt-4o-mini', new Set(state.left.keys()));
  if ('fault' in read) return reported({ code: 4000, msg: read.fault });
  const relay = relayOwn({
    whole(completion) {
      const left = state.behaviour.working ?? 1;
      state.chats.set(String(completion['id']), { completion, left });
      return { code: 0, msg: '', data: inProgress(completion) };
    },
    events: cozeEvents,
    write: writeCozeEvent,
    failed: { name: 'error', code: 5000, msg: 'Internal error' },
    failure: (message) => ({ code: 4000, msg: message }),
  });
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay };
}

function inProgress(completion: Json): Json {
  const { usage: _usage, ...chat } = chatEnded(completion);
  return { ...chat, status: 'in_progress' };
}

function retrieved(chat: Chat, { ending }: ChatBehaviour): Json {
  if (chat.left-- > 0) return inProgress(chat.completion);
  return ending === undefined ? chatEnded(chat.completion) : { ...inProgress(chat.completion), ...ending };
}

/** Whatever it says: with status 200. */
function reported(body: Json): Judgement {
  return { kind: 'answer', status: 200, body };
}
