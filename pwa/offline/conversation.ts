// What the playground keeps on the device: questions, answers and the parameters that they were asked with.
import { z } from 'zod';

export const ReasoningEffort = z.enum(['', 'low', 'medium', 'high']);

/** Null, empty, false: the parameter is not sent, and the provider chooses. */
export const ChatSettings = z.object({
  /** Empty: the user's own group. */
  group: z.string(),
  system: z.string(),
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  max_tokens: z.number().nullable(),
  presence_penalty: z.number().nullable(),
  frequency_penalty: z.number().nullable(),
  seed: z.number().nullable(),
  stop: z.array(z.string()),
  reasoning_effort: ReasoningEffort,
  json: z.boolean(),
  /** A JSON list, as it was typed. */
  tools: z.string(),
  /** Further fields of the request, a JSON object as it was typed. */
  extra: z.string(),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

const Picture = z.object({ name: z.string(), /** A data URL. */ url: z.string(), width: z.number(), height: z.number() });
export type Picture = z.infer<typeof Picture>;

const ToolCall = z.object({ name: z.string(), arguments: z.string() });

/**
 * `running`: it is being written, by this page or by one that is gone. `stopped`: by whoever asked. `cut`: the page was closed
 * or the connection lost in the middle.
 */
export const Answer = z.object({
  model: z.string(),
  state: z.enum(['running', 'done', 'stopped', 'failed', 'cut']),
  text: z.string(),
  reasoning: z.string(),
  tool_calls: z.array(ToolCall),
  /** What went wrong, for people. */
  problem: z.string().optional(),
  finish: z.string().optional(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  /** Milliseconds from there: to the first piece, to the first of the text, to the end. */
  firstMs: z.number().optional(),
  textMs: z.number().optional(),
  ms: z.number().optional(),
  requestId: z.string().optional(),
  promptTokens: z.number().optional(),
  completionTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  /** The charge, and the row of the log that has it. */
  quota: z.number().optional(),
  logId: z.number().optional(),
});
export type Answer = z.infer<typeof Answer>;

const Turn = z.object({
  id: z.string(),
  text: z.string(),
  pictures: z.array(Picture),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** In the order of the conversation's models; null: that model was not asked. */
  answers: z.array(Answer.nullable()),
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
