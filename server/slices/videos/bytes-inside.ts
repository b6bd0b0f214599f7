// Streams a video out of Base64 in a JSON response, without holding it in memory.
import { Base64Pieces, MemberText } from '#server/framing/member-text.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

/** @param member name of the member in the JSON */
export function bytesInside(source: EventSource, member: string): EventSource {
  const [text, decoded] = [new MemberText(member), new Base64Pieces()];
  return {
    read(sink) {
      let isOver = false;
      const once = (end: () => void) => {
        if (isOver) return;
        isOver = true;
        end();
      };
      const broken = () => once(() => sink.fail(new SendFailure('network', 'the answer ended before the video did')));
      source.read({
        data(chunk) {
          if (isOver) return;
          const bytes = decoded.push(text.push(chunk));
          if (bytes.length > 0) sink.data(bytes, true);
          if (text.isTooLong) broken();
          if (text.isOver) once(() => sink.end());
          if (isOver) source.abort();
        },
        end: broken,
        fail: (failure) => once(() => sink.fail(failure)),
      });
    },
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => source.abort(),
  };
}
