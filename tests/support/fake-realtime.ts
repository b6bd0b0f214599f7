// Provider of realtime sessions for tests, in the vendor's format, strict about its input. The test triggers its spontaneous events.
// https://platform.openai.com/docs/api-reference/realtime-server-events
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Json } from './socket-client.ts';
import { until } from './until.ts';

/** As in the vendor's guide of costs: 119 tokens of text, 64 of them from the cache, and 13 of sound; 30 and 91 are answered. */
export const usualUsage = {
  total_tokens: 253,
  input_tokens: 132,
  output_tokens: 121,
  input_token_details: {
    text_tokens: 119,
    audio_tokens: 13,
    image_tokens: 0,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 64, audio_tokens: 0, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 91 },
};

const known = new Set([
  'session.update',
  'transcription_session.update',
  'input_audio_buffer.append',
  'input_audio_buffer.commit',
  'input_audio_buffer.clear',
  'conversation.item.create',
  'conversation.item.retrieve',
  'conversation.item.truncate',
  'conversation.item.delete',
  'response.create',
  'response.cancel',
  'output_audio_buffer.clear',
]);
/** Half a second of silence. */
export const halfSecond = Buffer.alloc(24_000).toString('base64');

export interface RealtimeBehaviour {
  usage?: Json | null;
  /** A response stays open after this many deltas, until `finish` or the connection ends. */
  holdAfter?: number;
  deltas?: number;
  status?: string;
  /** A cancelled response gets no further event; or the connection ends. */
  cancelled?: 'silent' | 'gone';
  /** Handshakes are completed, and the session fails. */
  isFailing?: boolean;
  /** Handshakes are not answered. */
  isMute?: boolean;
  /** Instead of a handshake. */
  refuse?: { status: number; body: Json };
}

export class RealtimePeer {
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  readonly received: Json[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly isBeta: boolean;
  readonly isTranscription: boolean;
  session: Json;
  held: string | null = null;
  /** Requested responses do not begin. */
  isSilent = false;
  #behaviour: () => RealtimeBehaviour;
  #count = 0;

  constructor(socket: WebSocket, request: IncomingMessage, behaviour: () => RealtimeBehaviour) {
    this.socket = socket;
    this.request = request;
    this.#behaviour = behaviour;
    this.isBeta = request.headers['openai-beta'] === 'realtime=v1';
    const url = new URL(request.url ?? '/', 'http://localhost');
    this.session = { object: 'realtime.session', id: 'sess_1', model: url.searchParams.get('model') ?? url.searchParams.get('deployment') };
    this.isTranscription = url.searchParams.get('intent') === 'transcription';
    if (!this.isBeta) this.session['type'] = this.isTranscription ? 'transcription' : 'realtime';
    // https://developers.openai.com/api/docs/guides/realtime-transcription: no model stands in the address.
    if (this.isTranscription && this.session['model'] !== null) throw new Error('A session of transcriptions was asked for with a model');
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('message', (data: Buffer) => this.#read(JSON.parse(data.toString('utf8'))));
    socket.on('error', () => {});
    if (behaviour().isFailing === true) {
      this.emit({ type: 'error', error: { type: 'server_error', code: 'server_error', message: 'The session failed', param: null } });
      socket.close(1011, 'failed');
    } else this.emit({ type: `${this.#sessionName}.created`, session: this.session });
  }

  get #sessionName(): string {
    return this.isBeta && this.isTranscription ? 'transcription_session' : 'session';
  }

  emit(event: Json): void {
    this.#count += 1;
    this.socket.send(JSON.stringify({ event_id: `event_${this.#count}`, ...event }));
  }

  /** Events of that type that have come. */
  ofType(type: string): Json[] {
    return this.received.filter((event) => event['type'] === type);
  }

  /** Simulates a user's speech, to which the provider responds by itself. */
  speak(): void {
    this.emit({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'item_heard' });
    this.emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 500, item_id: 'item_heard' });
    this.emit({ type: 'input_audio_buffer.committed', item_id: 'item_heard', previous_item_id: null });
    this.answer({});
  }

  /** Emits the transcript of the speech. */
  transcribe(usage: Json): void {
    const reported = { item_id: 'item_heard', content_index: 0, transcript: 'When is high water?', usage };
    this.emit({ type: 'conversation.item.input_audio_transcription.completed', ...reported });
  }

  answer({ conversation }: Json): void {
    const { deltas = 3, holdAfter } = this.#behaviour();
    this.#count += 1;
    const id = `resp_${this.#count}`;
    const response = {
      object: 'realtime.response',
      id,
      status: 'in_progress',
      output: [],
      conversation_id: conversation === 'none' ? null : 'conv_1',
    };
    this.emit({ type: 'response.created', response });
    for (let at = 0; at < deltas; at += 1) {
      if (at === holdAfter) {
        this.held = id;
        return;
      }
      const name = this.isBeta ? 'response.audio.delta' : 'response.output_audio.delta';
      this.emit({ type: name, response_id: id, item_id: 'item_1', output_index: 0, content_index: 0, delta: halfSecond });
    }
    this.finish(id);
  }

  finish(id = this.held, status = this.#behaviour().status ?? 'completed'): void {
    this.held = null;
    const { usage = usualUsage } = this.#behaviour();
    const response = { object: 'realtime.response', id, status, output: [], conversation_id: 'conv_1', usage };
    this.emit({ type: 'response.done', response });
  }

  #cancel(id: string): void {
    const { cancelled } = this.#behaviour();
    if (cancelled === 'gone') this.socket.terminate();
    else if (cancelled === undefined) this.finish(id, 'cancelled');
  }

  #refuse(event: Json, message: string, code = 'invalid_value'): void {
    this.emit({ type: 'error', error: { type: 'invalid_request_error', code, message, param: null, event_id: event['event_id'] ?? null } });
  }

  #read(event: Json): void {
    this.received.push(event);
    if (this.isTranscription && /^(?:response|conversation)\./.test(event['type'])) return this.#refuse(event, 'Not in this session');
    if (!known.has(event['type'])) return this.#refuse(event, `Invalid value: '${event['type']}'`);
    if (event['type'] === `${this.#sessionName}.update`) return this.#update(event);
    if (event['type'] === 'conversation.item.create') {
      this.emit({
        type: this.isBeta ? 'conversation.item.created' : 'conversation.item.added',
        item: { id: `item_${this.#count}`, object: 'realtime.item', status: 'completed', ...event['item'] },
        previous_item_id: null,
      });
    } else if (event['type'] === 'input_audio_buffer.commit') {
      this.emit({ type: 'input_audio_buffer.committed', item_id: 'item_heard', previous_item_id: null });
    } else if (event['type'] === 'input_audio_buffer.clear') this.emit({ type: 'input_audio_buffer.cleared' });
    else if (event['type'] === 'response.cancel') {
      if (this.held === null) this.#refuse(event, 'Cancellation failed: no active response found', 'response_cancel_not_active');
      else this.#cancel(this.held);
    } else if (event['type'] === 'response.create') {
      const limit = event['response']?.[this.isBeta ? 'max_response_output_tokens' : 'max_output_tokens'];
      if (limit !== undefined && limit !== 'inf' && !(limit >= 1 && limit <= 4096)) return this.#refuse(event, 'Invalid limit');
      if (this.held !== null && event['response']?.conversation !== 'none') {
        return this.#refuse(event, 'Conversation already has an active response', 'conversation_already_has_active_response');
      }
      if (!this.isSilent) this.answer(event['response'] ?? {});
    }
  }

  #update(event: Json): void {
    const { session } = event;
    if (!this.isBeta && session?.type !== this.session['type']) return this.#refuse(event, "Missing required parameter: 'session.type'.");
    if (session.model !== undefined && session.model !== this.session['model']) return this.#refuse(event, 'The model cannot be changed');
    this.session = { ...this.session, ...session };
    this.emit({ type: `${this.#sessionName}.updated`, session: this.session });
  }
}

export interface FakeRealtime extends AsyncDisposable {
  readonly url: string;
  readonly peers: readonly RealtimePeer[];
  behave(behaviour: RealtimeBehaviour): void;
  /** Handshakes that wait for an answer. */
  readonly unanswered: number;
  /** The connection with that number, once it is open. */
  peer(index: number): Promise<RealtimePeer>;
}

export async function startFakeRealtime(): Promise<FakeRealtime> {
  const peers: RealtimePeer[] = [];
  let behaviour: RealtimeBehaviour = {};
  const unanswered = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, raw, head) => {
    const { refuse, isMute = false } = behaviour;
    if (isMute) {
      unanswered.add(raw);
      raw.on('error', () => {}).once('close', () => unanswered.delete(raw));
      raw.on('end', () => raw.end()).resume();
      return;
    }
    if (refuse !== undefined) {
      const body = JSON.stringify(refuse.body);
      raw.end(
        `HTTP/1.1 ${refuse.status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, raw, head, (socket) => peers.push(new RealtimePeer(socket, request, () => behaviour)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    peers,
    get unanswered() {
      return unanswered.size;
    },
    behave(next) {
      behaviour = next;
    },
    async peer(index) {
      await until(() => peers.length > index);
      const peer = peers[index];
      if (peer === undefined) throw new Error('There is no such connection');
      return peer;
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of peers) socket.terminate();
      for (const raw of unanswered) raw.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
