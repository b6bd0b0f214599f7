// Conversations of the playground stored on the device: questions, answers and their parameters.
import { z } from 'zod/mini';

export const ReasoningEffort = z.enum(['', 'low', 'medium', 'high']);

/** Formats in which a conversation can be had. */
export const chatFormats = ['openai-chat', 'openai-responses', 'claude', 'gemini'] as const;
export type ChatFormat = (typeof chatFormats)[number];

/** Of pictures, speech, transcripts and videos. Empty: the model's own choice. */
export const MediaSettings = z.object({
  /** `1024x1024` */
  size: z.string(),
  quality: z.string(),
  count: z.int(),
  voice: z.string(),
  speed: z.number(),
  /** Of a recording, as ISO 639-1 has it. */
  language: z.string(),
  /** Into English. */
  isTranslated: z.boolean(),
  /** A picture is shown while it is made. */
  isPreviewed: z.optional(z.boolean()),
  /** Of videos: `1280x720`. */
  videoSize: z.optional(z.string()),
  /** Of videos; 0: as many as its provider makes usually. */
  seconds: z.optional(z.int()),
});
export type MediaSettings = z.infer<typeof MediaSettings>;

/** Null, empty, false: the parameter is not sent, and the provider chooses. */
export const ChatSettings = z.object({
  /** Empty: the user's own group. */
  group: z.string(),
  system: z.string(),
  temperature: z.nullable(z.number()),
  top_p: z.nullable(z.number()),
  max_tokens: z.nullable(z.number()),
  presence_penalty: z.nullable(z.number()),
  frequency_penalty: z.nullable(z.number()),
  seed: z.nullable(z.number()),
  stop: z.array(z.string()),
  reasoning_effort: ReasoningEffort,
  json: z.boolean(),
  /** A JSON list, as it was typed. */
  tools: z.string(),
  /** Further fields of the request, a JSON object as it was typed. */
  extra: z.string(),
  media: z.optional(MediaSettings),
  /** Missing: OpenAI's chat. */
  format: z.optional(z.enum(chatFormats)),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

const Picture = z.object({
  name: z.string(),
  /** A data URL. */
  url: z.string(),
  width: z.number(),
  height: z.number(),
  /** A data URL: transparent areas are repainted. Missing: the whole picture. */
  mask: z.optional(z.string()),
});
export type Picture = z.infer<typeof Picture>;

/** `content`: a text itself, the bytes of others as base64. `format`: of sound. */
const AttachedFile = z.object({
  name: z.string(),
  kind: z.enum(['text', 'document', 'sound']),
  format: z.optional(z.enum(['wav', 'mp3'])),
  content: z.string(),
});
export type AttachedFile = z.infer<typeof AttachedFile>;

const ToolCall = z.object({ name: z.string(), arguments: z.string() });

/**
 * `running`: it is being written, by this page or by a closed one. `stopped`: by the user. `cut`: the page was closed or the connection lost during
 * the answer.
 */
export const Answer = z.object({
  model: z.string(),
  state: z.enum(['running', 'done', 'stopped', 'failed', 'cut']),
  text: z.string(),
  reasoning: z.string(),
  tool_calls: z.array(ToolCall),
  /** What went wrong, for people. */
  problem: z.optional(z.string()),
  finish: z.optional(z.string()),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  /** Milliseconds from there: to the first piece, to the first of the text, to the end. */
  firstMs: z.optional(z.number()),
  textMs: z.optional(z.number()),
  ms: z.optional(z.number()),
  requestId: z.optional(z.string()),
  promptTokens: z.optional(z.number()),
  completionTokens: z.optional(z.number()),
  reasoningTokens: z.optional(z.number()),
  /** The charge, and the row of the log that has it. */
  quota: z.optional(z.number()),
  logId: z.optional(z.number()),
  /** Missing: an answer in words. */
  kind: z.optional(z.enum(['picture', 'speech', 'transcript', 'video'])),
  /** How many pictures are coming, and their width by their height. */
  awaited: z.optional(z.object({ count: z.int(), ratio: z.number() })),
  /** Data URLs, or addresses at the provider that expire. */
  pictures: z.optional(z.array(z.object({ url: z.string() }))),
  /** A data URL. */
  sound: z.optional(z.object({ url: z.string() })),
  /** Video order that the server has accepted. While it runs it is polled, also by a page that opens later. */
  video: z.optional(
    z.object({
      id: z.string(),
      /** `1280x720` */
      size: z.string(),
      seconds: z.number(),
      /** Its row in the list of tasks, whose bytes are the video. */
      task: z.optional(z.int()),
      /** From 0 to 100. */
      progress: z.optional(z.int()),
      /** Quota that came back since it failed. */
      refunded: z.optional(z.int()),
    }),
  ),
});
export type Answer = z.infer<typeof Answer>;

const Turn = z.object({
  id: z.string(),
  text: z.string(),
  pictures: z.array(Picture),
  files: z.optional(z.array(AttachedFile)),
  /** The recording that was sent, without its bytes. */
  sound: z.optional(z.object({ name: z.string(), seconds: z.optional(z.number()) })),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** In the order of the conversation's models; null: the question was not sent to that model. */
  answers: z.array(z.nullable(Answer)),
});
export type Turn = z.infer<typeof Turn>;

export const Conversation = z.object({
  userId: z.int(),
  id: z.string(),
  title: z.string(),
  /** Milliseconds since 1970. */
  updatedAt: z.number(),
  /** One, or two side by side. */
  models: z.array(z.string()),
  settings: ChatSettings,
  turns: z.array(Turn),
});
export type Conversation = z.infer<typeof Conversation>;
