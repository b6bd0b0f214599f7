// Provider of realtime sessions in a process of its own, for `npm run bench -- realtime`: audio and texts at the pace of speech, usage in every
// bucket. Its bills can be read over HTTP, to compare them with the charges. https://platform.openai.com/docs/api-reference/realtime-server-events
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';

/** What one response has cost: tokens by bucket, cached ones within the first two. */
export interface BilledTurn {
  text: number;
  audio: number;
  cachedText: number;
  cachedAudio: number;
  writtenText: number;
  spokenAudio: number;
}

/** What one transcription has cost. */
export interface BilledText {
  received: number;
  written: number;
}

export interface Billed {
  turns: BilledTurn[];
  texts: BilledText[];
}

type Json = Record<string, unknown>;

const billed: Billed = { turns: [], texts: [] };
/** Half a second of audio; a token is 50 ms of output, 100 ms of input. */
const halfSecond = Buffer.alloc(24_000).toString('base64');
const deltas = 10;
/** Milliseconds between two of them. */
const pace = 100;
/** Tokens of a conversation's context: older ones are dropped, as by the vendor's truncation. */
const mostText = 4_000;
const mostAudio = 12_000;
const bytesPerToken = 4_800;

const isText = (value: unknown): value is Json => typeof value === 'object' && value !== null;

class Peer {
  readonly #socket: WebSocket;
  #count = 0;
  #text = 120;
  #audio = 0;
  #cachedText = 0;
  #cachedAudio = 0;
  #buffered = 0;
  #isListening = false;
  #isWriting = false;
  #isSpokenTo = false;
  #isBusy = false;

  constructor(socket: WebSocket, model: string) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => this.#read(JSON.parse(data.toString('utf8'))));
    this.#emit({ type: 'session.created', session: { type: 'realtime', object: 'realtime.session', model } });
  }

  #emit(event: Json): void {
    this.#count += 1;
    this.#socket.send(JSON.stringify({ event_id: `event_${this.#count}`, ...event }));
  }

  #read(event: Json): void {
    const { type } = event;
    if (type === 'session.update') this.#update(event['session']);
    else if (type === 'conversation.item.create') {
      this.#text += 20;
      this.#emit({ type: 'conversation.item.added', item: event['item'], previous_item_id: null });
    } else if (type === 'input_audio_buffer.append') this.#addAudio(String(event['audio']));
    else if (type === 'input_audio_buffer.commit') this.#commit();
    else if (type === 'response.create') void this.#answer();
  }

  #update(session: unknown): void {
    if (!isText(session)) return;
    const { audio } = session;
    const input = isText(audio) && isText(audio['input']) ? audio['input'] : {};
    if (input['turn_detection'] !== undefined) this.#isListening = input['turn_detection'] !== null;
    if (input['transcription'] !== undefined) this.#isWriting = input['transcription'] !== null;
    this.#emit({ type: 'session.updated', session });
  }

  #addAudio(audio: string): void {
    if (this.#isListening && this.#buffered === 0) this.#emit({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0 });
    this.#buffered += (audio.length * 3) / 4;
    // Four seconds are a sentence; with voice detection the response then starts by itself.
    if (!this.#isListening || this.#buffered < 4 * 48_000) return;
    this.#emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 4_000 });
    this.#commit();
    void this.#answer();
  }

  #commit(): void {
    const received = Math.floor(this.#buffered / bytesPerToken);
    this.#buffered = 0;
    this.#audio += received;
    this.#isSpokenTo = true;
    const item = `item_${this.#count}`;
    this.#emit({ type: 'input_audio_buffer.committed', item_id: item, previous_item_id: null });
    if (this.#isWriting) void this.#write(item, received);
  }

  async #write(item: string, received: number): Promise<void> {
    const about = { item_id: item, content_index: 0 };
    await sleep(3 * pace);
    this.#emit({ type: 'conversation.item.input_audio_transcription.delta', ...about, delta: 'When is high water ' });
    await sleep(pace);
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const written = 6 + (this.#count % 5);
    billed.texts.push({ received, written });
    const usage = {
      type: 'tokens',
      total_tokens: received + written,
      input_tokens: received,
      output_tokens: written,
      input_token_details: { text_tokens: 0, audio_tokens: received },
    };
    this.#emit({
      type: 'conversation.item.input_audio_transcription.completed',
      ...about,
      transcript: 'When is high water at the pier?',
      usage,
    });
  }

  async #answer(): Promise<void> {
    if (this.#isBusy) return this.#emit({ type: 'error', error: { type: 'invalid_request_error', code: 'busy', message: 'Busy' } });
    this.#isBusy = true;
    const isSpoken = this.#isSpokenTo;
    this.#isSpokenTo = false;
    const id = `resp_${this.#count}`;
    const about = { response_id: id, item_id: `item_${id}`, output_index: 0, content_index: 0 };
    this.#emit({
      type: 'response.created',
      response: { object: 'realtime.response', id, status: 'in_progress', conversation_id: 'conv_1' },
    });
    for (let at = 0; at < deltas; at += 1) {
      await sleep(pace);
      if (isSpoken) {
        this.#emit({ type: 'response.output_audio.delta', ...about, delta: halfSecond });
        this.#emit({ type: 'response.output_audio_transcript.delta', ...about, delta: 'At noon ' });
      } else this.#emit({ type: 'response.output_text.delta', ...about, delta: 'At noon in Brest, ' });
    }
    if (this.#socket.readyState === this.#socket.OPEN) this.#finish(id, isSpoken);
    this.#isBusy = false;
  }

  #finish(id: string, isSpoken: boolean): void {
    const turn: BilledTurn = {
      text: this.#text,
      audio: this.#audio,
      cachedText: this.#cachedText,
      cachedAudio: this.#cachedAudio,
      writtenText: 20 + (this.#count % 7),
      spokenAudio: isSpoken ? deltas * 10 : 0,
    };
    billed.turns.push(turn);
    const input = turn.text + turn.audio;
    const output = turn.writtenText + turn.spokenAudio;
    const usage = {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_token_details: {
        text_tokens: turn.text,
        audio_tokens: turn.audio,
        image_tokens: 0,
        cached_tokens: turn.cachedText + turn.cachedAudio,
        cached_tokens_details: { text_tokens: turn.cachedText, audio_tokens: turn.cachedAudio, image_tokens: 0 },
      },
      output_token_details: { text_tokens: turn.writtenText, audio_tokens: turn.spokenAudio },
    };
    this.#emit({
      type: 'response.done',
      response: { object: 'realtime.response', id, status: 'completed', output: [], conversation_id: 'conv_1', usage },
    });
    this.#cachedText = turn.text > mostText ? 0 : turn.text;
    this.#cachedAudio = turn.audio > mostAudio ? 0 : turn.audio;
    this.#text = turn.text > mostText ? 120 : turn.text + turn.writtenText;
    this.#audio = turn.audio > mostAudio ? 0 : turn.audio + turn.spokenAudio;
    if (this.#cachedText > this.#text) this.#cachedText = this.#text;
    if (this.#cachedAudio > this.#audio) this.#cachedAudio = this.#audio;
  }
}

const server = createServer((_request, response) => response.end(JSON.stringify(billed)));
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on(
  'connection',
  (socket, request) => new Peer(socket, new URL(request.url ?? '/', 'http://localhost').searchParams.get('model') ?? ''),
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
