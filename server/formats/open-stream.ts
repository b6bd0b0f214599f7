// Creates the pipe of a stream for its client and upstream formats.
import type { StreamInput } from './identity.ts';
import type { StreamPipe } from './stream-pipe.ts';
import { TranslatedStream } from './translated-stream.ts';

export function openStream(input: StreamInput): StreamPipe {
  return input.route.identity?.openStream(input) ?? new TranslatedStream(input);
}
