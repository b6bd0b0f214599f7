// The pipe that a stream goes through, by the formats at its two ends.
import { ClaudeIdentityStream } from '#server/dialects/claude/identity-stream.ts';
import type { ClientDialect, ResponseWriterOptions } from './client-dialect.ts';
import { ChatIdentityStream } from '#server/dialects/openai-chat/identity-stream.ts';
import { upstreamDialects } from './registry.ts';
import type { StreamPipe } from './stream-pipe.ts';
import { TextTally } from './text-tally.ts';
import { TranslatedStream } from './translated-stream.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { countText, estimateTextTokens } from '#server/upstream/token-estimate.ts';
import type { Counting } from '#server/upstream/token-estimate.ts';

export interface PipeOptions {
  client: ClientDialect;
  channel: PreparedChannel;
  upstreamModel: string;
  writer: ResponseWriterOptions;
  /** Who is counted for. */
  counting: Counting;
}

export function createPipe({ client, channel, upstreamModel, writer, counting }: PipeOptions): StreamPipe {
  const dialect = channel.provider?.dialect ?? 'openai-chat';
  const count = (text: string) => countText(text, writer.model, counting);
  if (dialect === 'openai-chat' && client.name === 'openai-chat') {
    const head = { id: `chatcmpl-${writer.requestId}`, created: writer.createdAt, model: writer.model };
    return new ChatIdentityStream({ channel, upstreamModel, wantsUsage: writer.wantsUsage, head, countText: count });
  }
  const tally = new TextTally({ countText: count, estimateText: estimateTextTokens });
  if (client.name === dialect) return new ClaudeIdentityStream({ tally });
  const upstream = upstreamDialects[dialect];
  return new TranslatedStream({
    reader: upstream.createStreamReader(),
    writer: client.createStreamWriter(writer),
    tally,
    readError: upstream.readError,
  });
}
