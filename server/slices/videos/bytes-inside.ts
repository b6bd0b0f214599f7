// A video that is told as Base64 within JSON, as bytes, piece by piece: it is nowhere in memory as a whole.
import { Base64Pieces, MemberText } from '#server/framing/member-text.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

/** @param member the name of the text in the JSON */
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
