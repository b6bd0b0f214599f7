// Refuses prompts that hold a blocked word, and ends responses in which a model writes one.
import type { AppContext } from '#server/context.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import { inSteps } from '#server/http/in-steps.ts';
import { createBlockedWords } from './blocked-words.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun, WrittenResponse } from '#server/call/stages.ts';
import { checkPrompt, type TextGuard } from '#server/call/text-guard.ts';
import { WatchedStream } from './watched-stream.ts';

export function blockedWordsStage({ settings }: Pick<AppContext, 'settings'>): CallStage {
  const guard = createBlockedWords({ settings });
  return {
    name: 'blocked-words',
    guard,
    applies: (endpoint) => guard.isOn || (guard.output() !== null && isWatched(endpoint)),
    open(call) {
      const run = isWatched(call.endpoint) && guard.output() !== null ? new WatchedOutput(guard) : null;
      const checking = guard.isOn ? checkPrompt(guard, call) : undefined;
      return checking instanceof Promise ? checking.then(() => run) : run;
    },
  };
}

/** Whether texts are what models write at the endpoint. */
function isWatched({ kind: { isWritten, isText } }: RelayEndpoint): boolean {
  return isWritten || isText === true;
}

class WatchedOutput implements StageRun {
  readonly #guard: TextGuard;

  constructor(guard: TextGuard) {
    this.#guard = guard;
  }

  pipe(pipe: StreamPipe, { turn: { envelope: encoding } }: RunningCall): StreamPipe {
    const watch = this.#guard.output();
    return watch === null ? pipe : new WatchedStream(pipe, { watch, encoding });
  }

  blocks({ services, admission, endpoint }: RunningCall, { body, written }: WrittenResponse): boolean | Promise<boolean> {
    const watch = this.#guard.output();
    if (watch === null) return false;
    // A response of text may be no JSON.
    const searched = endpoint.kind.isText === true ? Buffer.from(JSON.stringify({ text: written() })) : body;
    return inSteps(services.context.bodies, `user:${admission.user.id}`, watch.inBody(searched));
  }
}
