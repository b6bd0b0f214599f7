// Judges texts of callers before a model gets them, and texts of models before callers get them. Calls have a stage for it; batches,
// tasks, searches, downloads and realtime sessions use the guard of that stage.
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';

export interface TextGuard {
  /** False: texts of callers are not judged. */
  readonly isOn: boolean;
  /** Begins to watch one response. Null: texts of models are not judged. */
  output(): OutputWatch | null;
  /** All at once. @throws {AppError} `sensitive_words_detected` */
  check(texts: readonly string[]): void;
  /** At once if the texts are short together; longer ones a few at a time by `inTurn`. @throws {AppError} `sensitive_words_detected` */
  check(texts: readonly string[], inTurn: RunInTurn): void | Promise<void>;
}

/** Runs long work when it may. */
export type RunInTurn = <Result>(work: () => Result) => Result | Promise<Result>;

/** Watches one response of a model. Each method returns whether the response has to end. */
export interface OutputWatch {
  /** @param pieces whole events */
  inEvents(pieces: readonly Buffer[], encoding: EventEncoding): boolean;
  /** @param events contents of events */
  inReported(events: Iterable<string>): boolean;
  /** @param response id, if several responses are written at a time */
  inObject(event: Readonly<Record<string, unknown>>, response?: string): boolean;
  /** Judges a whole body in steps. */
  inBody(body: Buffer): Generator<void, boolean>;
}

/** Guard of a process without one. */
export const noGuard: TextGuard = { isOn: false, output: () => null, check() {} };

/** Judges the prompt of a call, which the reservation takes as it was read here. @throws {AppError} `sensitive_words_detected` */
export function checkPrompt(guard: TextGuard, call: AdmittedCall): void | Promise<void> {
  const { content, endpoint, requested } = call;
  const prompt = (call.prompt ??= endpoint.promptContent(content.body, requested.model, content.isLarge));
  return guard.check([...prompt.texts, ...(prompt.untokened ?? [])], (work) => content.use(work));
}
