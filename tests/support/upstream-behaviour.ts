// Options of the fake upstream. All are optional: an empty behaviour responds as the provider does.

/** Names of answers that no client should have to see. */
export type Garbage =
  /** 200 with a page of HTML. */
  | 'html'
  /** 200 with text that is not JSON, declared as JSON. */
  | 'text'
  /** 200 without a body. */
  | 'empty'
  /** 200 with the first half of a JSON answer, ended properly. */
  | 'half json'
  /** 200 with JSON that is no answer: `[]`. */
  | 'wrong json'
  /** 200 with `{"error": {…}}`. */
  | 'error object'
  /** Bytes that are not UTF-8, declared as JSON. */
  | 'bytes'
  /** An event stream whose data is not JSON. */
  | 'invalid events'
  /** An event stream of one event that never ends its line and grows. */
  | 'endless line'
  /** A whole JSON answer to a call that requested a stream. */
  | 'json to a stream'
  /** An event stream to a call that did not request one. */
  | 'stream to a json call';

export interface ToolCall {
  name: string;
  /** JSON text; sent in pieces when streamed. */
  arguments: string;
  id?: string;
}

/** The error object of the OpenAI format. */
export interface UpstreamError {
  message: string;
  type: string;
  param?: string | null;
  code?: string | number | null;
  metadata?: object;
}

export interface Behaviour {
  // Failing at once
  /** Refuses with this status (300 and above) and an error object. */
  status?: number;
  /** Replaces the error object that belongs to the status. */
  error?: UpstreamError;
  /** The `Retry-After` header: seconds, or any text. */
  retryAfter?: number | string;
  /** The socket is destroyed instead of an answer. */
  refuse?: boolean;
  garbage?: Garbage;
  /** Fails a share of the calls, by a seeded sequence; the others follow the rest of this behaviour. */
  failing?: { rate: number; seed: number; as: Behaviour };

  // Time
  /** Milliseconds before the status line. `Infinity`: never. */
  firstByteDelay?: number;
  /** Milliseconds between the events of a stream. */
  chunkDelay?: number;

  // Ends of a stream. Counted in events after the first (which carries the role); of a JSON answer in bytes.
  /** Then nothing more until the test calls `release()` on the recorded request, or the client disconnects. */
  holdAfter?: number;
  /** Then the socket is destroyed. */
  cutAfter?: number;
  /** Then an error event, and a proper end of the body. */
  errorAfter?: number;
  /** Then a proper end of the body without a finish reason, usage or `[DONE]`. */
  endAfter?: number;
  /** Everything is sent but `[DONE]`. */
  withoutDone?: boolean;

  // Content
  /** The answer's text; streamed word by word. */
  text?: string;
  /** The answer's text in exactly these pieces. */
  pieces?: readonly string[];
  /** A text that is sent this many times over, one event each, in constant memory. */
  repeat?: { text: string; times: number };
  /** Thoughts, as `reasoning_content`, before the text. */
  reasoning?: string;
  /** Answered instead of the text, unless the last message is a tool's. */
  toolCalls?: readonly ToolCall[];
  finishReason?: string;
  /** Where pictures are said to be. */
  imageAddress?: string;
  /** What the model has made of the prompt of a picture. */
  revisedPrompt?: string;
  /** Replaces the usage object, with whatever it is; `'none'` leaves it out. */
  usage?: unknown;
  /** Where a stream has its usage: an event of its own (default), the one with the finish reason, or every event. */
  usageIn?: 'own event' | 'finish event' | 'every event';
  /** Answers `stream_options.include_usage` that is missing as if it were there. */
  alwaysUsage?: boolean;
  /** Name of the model in the response; default: the requested one. */
  model?: string;
  /** Tier that responses of the OpenAI formats name next to their usage; `'none'` leaves it out. */
  serviceTier?: string;
  /** Gemini's word for why nothing is answered to the prompt. */
  blockReason?: string;
  /** Container in which code ran, as Claude's responses report it. */
  container?: string;
  /** Sends embeddings as lists of numbers, or in full length, even if the caller requested other ones. */
  ignores?: readonly ('encoding_format' | 'dimensions')[];

  // Wire
  /** Sends a file of `tests/fixtures/upstream/` instead, e.g. `openai/chat.json` or `deepseek/chat-stream.sse`. */
  replay?: string;
  headers?: Record<string, string>;
  /** Body bytes per write; cuts through events and characters. */
  bytesPerWrite?: number;
  lineEnd?: '\n' | '\r\n';
  /** Comment lines before every event. */
  comments?: boolean;
}
