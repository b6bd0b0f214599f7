// Interface of the check for blocked words: in texts of callers before they are sent to a model, and in texts of models before
// callers receive them. A stage does it for calls; batches, tasks, searches, downloads and sessions use the stage's guard.
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';

export interface TextGuard {
  /** Whether texts of callers are checked. */
  readonly isOn: boolean;
  /** Begins to watch a response; null if texts of models are not checked. */
  output(): OutputWatch | null;
  /**
   * Checks texts synchronously.
   * @throws {AppError} `sensitive_words_detected`
   */
  check(texts: readonly string[]): void;
  /**
   * Checks texts synchronously if they are short, else in pieces by `inTurn`.
   * @throws {AppError} `sensitive_words_detected`
   */
  check(texts: readonly string[], inTurn: RunInTurn): void | Promise<void>;
}

/** Runs a piece of long work in turn with others. */
export type RunInTurn = <Result>(work: () => Result) => Result | Promise<Result>;

/** Watches one response of a model. Each method returns true if the response must end. */
export interface OutputWatch {
  /** @param pieces complete events */
  inEvents(pieces: readonly Buffer[], encoding: EventEncoding): boolean;
  /** @param events data of events */
  inReported(events: Iterable<string>): boolean;
  /** @param response id of the response, if several are generated in parallel */
  inObject(event: Readonly<Record<string, unknown>>, response?: string): boolean;
  /** Checks a complete body in steps. */
  inBody(body: Buffer): Generator<void, boolean>;
}

/** Guard that checks nothing. */
export const noGuard: TextGuard = { isOn: false, output: () => null, check() {} };

/**
 * Checks the prompt of a call. The prompt is read for this, and the reservation reuses it.
 * @throws {AppError} `sensitive_words_detected`
 */
export function checkPrompt(guard: TextGuard, call: AdmittedCall): void | Promise<void> {
  const { content, endpoint, requested } = call;
  const prompt = (call.prompt ??= endpoint.promptContent(content.body, requested.model, content.isLarge));
  return guard.check([...prompt.texts, ...(prompt.untokened ?? [])], (work) => content.use(work));
}
