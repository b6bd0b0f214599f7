// `Server-Timing` (https://www.w3.org/TR/server-timing/): milliseconds that the gateway and its upstreams took, until the headers of the
// response leave. Of a stream, the upstream's part ends with its first byte.
import type { AppContext } from '#server/context.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';

export function serverTimingStage({ settings }: Pick<AppContext, 'settings'>): CallStage {
  return {
    name: 'server-timing',
    applies: ({ kind }) => settings.get('ServerTimingEnabled') && !kind.isCount && kind.isInSession !== true,
    open: () => new TimedCall(),
  };
}

class TimedCall implements StageRun {
  #call: RunningCall | undefined;

  reserved(call: RunningCall): void {
    this.#call = call;
  }

  headers(): Readonly<Record<string, string>> {
    if (this.#call === undefined) return {};
    const { attempts, stream } = this.#call;
    const total = elapsed(this.#call);
    let upstream = 0;
    for (const [index, { start_ms: start, first_byte_ms: first, end_ms: end }] of attempts.entries()) {
      const isStreaming = stream !== null && index === attempts.length - 1;
      upstream += (isStreaming ? (first ?? total) : end) - start;
    }
    const gateway = Math.max(0, total - upstream);
    const tries = attempts.length > 1 ? `;desc="${attempts.length} attempts"` : '';
    return { 'server-timing': `gateway;dur=${gateway.toFixed(1)}, upstream;dur=${upstream.toFixed(1)}${tries}` };
  }
}
