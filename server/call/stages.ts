// Stages of a call: hooks by which features take part in calls. Each feature is a folder in `server/slices/` and a line in
// `server/call-stages.ts`, which orders them. A stage that concerns a call opens a `StageRun` with its state; otherwise its hooks
// are not called for that call.
import type { AppError } from '#shared/errors.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import type { CallAttempt, SentAttempt } from '#server/call/call-attempt.ts';
import type { AttemptEnd, EndedCall } from '#server/call/ended-call.ts';
import type { ReportedFailure } from '#server/call/relay-failure.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { noGuard, type TextGuard } from '#server/call/text-guard.ts';
import type { StreamInput } from '#server/formats/identity.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ResponseHeaders } from '#server/exchange/send.ts';
import type { Tier } from '#server/exchange/served-models.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';

export interface CallStage {
  readonly name: string;
  /**
   * Reports whether calls of the endpoint can concern the stage. Called once per endpoint, kind of caller and revision of the settings.
   * @param isLimited whether the callers have rate limits or budgets of their own
   */
  applies(endpoint: RelayEndpoint, isLimited: boolean): boolean;
  /**
   * Opens the stage for an admitted call, before the reservation; null if the call does not concern it.
   * @throws {AppError} to refuse the call
   */
  open(call: AdmittedCall): StageRun | null | Promise<StageRun | null>;
  /**
   * Finds a model by a name that no channel serves to the caller's group.
   * @throws {AppError} if the model cannot be called now
   */
  findModel?(admission: Admission, model: string): PrivateModel | null | Promise<PrivateModel | null>;
  /** Returns the names of the caller's private models, the newest last. */
  modelsOf?(admission: Admission): Promise<readonly string[]>;
  /** Called with a call that was refused before any channel was called. `model`: empty if not known yet. Never throws. */
  refused?(error: AppError, model: string): void;
  /** Guard of texts, also for texts outside of calls. Only one stage has a guard. */
  readonly guard?: TextGuard;
  /** Returns the stage for the calls of one WebSocket. If undefined, the stage has no state per connection. */
  connect?(userId: number): ConnectedStage;
}

/** Private model of a caller, on one channel. */
export interface PrivateModel {
  /** The caller's name of the model. */
  name: string;
  /** Base model, which determines the price. */
  base: string;
  upstreamModel: string;
  /** Only channel with the model. */
  channel: PreparedChannel;
}

/** Stage with state between the calls of a connection. */
export interface ConnectedStage extends Pick<CallStage, 'open'> {
  /** Returns headers for the handshake's response. */
  headers?(endpoint: RelayEndpoint, clientHeaders: Readonly<Record<string, string>>): Record<string, string>;
}

/** Channels that may take a call, the highest priority first. */
export interface ChannelChoice {
  readonly tiers: readonly Tier[];
  /** Ids of channels that the call was sent to. */
  readonly tried: ReadonlySet<number>;
  /** Returns the health of a channel, from 0 (paused, or no key is ready) to 1. */
  health(channel: PreparedChannel): number;
}

/** Options of stages for reading a response. */
export type ResponseReading = Pick<StreamInput, 'restoreObjectId' | 'signatures'>;

/** Complete response, written for the caller. */
export interface WrittenResponse {
  body: Buffer;
  /** Text of the model. */
  written(): string;
}

/** Complete response as it is sent to the caller. */
export interface SentResponse {
  contentType: string;
  body: Buffer;
}

/** Stored response of an earlier call. */
export interface RepeatedResponse extends SentResponse {
  /** Request id of the call that was charged. */
  requestId: string;
}

/** Attempt as its end is reported. Turns of a session have no route. */
export type EndedAttempt = Pick<CallAttempt, 'channel' | 'record' | 'isPassedOver'>;

/** State and hooks of a stage in one call. Every hook is optional; they are listed in the order in which they run. */
export interface StageRun {
  /**
   * Called when all stages are open, before the reservation, with the endpoint that counts the whole prompt.
   * @throws {AppError} to refuse the call
   */
  opened?(call: AdmittedCall): void | Promise<void>;
  /** Stored response that answers the call, which is then not reserved, sent, charged or logged. Further stages are not opened. */
  readonly repeated?: RepeatedResponse;
  /** Only channel that may take the call, instead of those that serve the model. */
  readonly only?: PreparedChannel;
  /**
   * Called after the reservation.
   * @throws {AppError} to refuse the call
   */
  reserved?(call: RunningCall): void | Promise<void>;
  /**
   * Called when a turn of a session begins, whose call was opened in advance.
   * @throws {AppError} to refuse the turn
   */
  begun?(call: RunningCall): Promise<void>;
  /** Path of the first tool that searches the caller's stores: routes that support it are preferred, and it is always reserved for. */
  readonly searchingTool?: string;
  /** Adds content that the body only references, such as files, wherever the prompt is counted. */
  promptContent?(prompt: PromptContent): void;
  /** Reports whether the channel may take the call. */
  fits?(channel: PreparedChannel): boolean;
  /** Chooses the channel of the next attempt; null if none is healthy, undefined if the stage does not choose. */
  pick?(choice: ChannelChoice): PreparedChannel | null | undefined;
  /** Returns the place of one of several keys of a channel for the call, the lowest first; undefined if the stage has no preference. */
  placeOf?(keyId: number, weight: number): number | undefined;
  /** Reports whether the call may take the route. */
  fitsRoute?(route: ChannelRoute): boolean;
  /** Changes the prompt before the attempt is reserved. A failure ends the call, whose reservation is released then. */
  prepare?(call: RunningCall, attempt: CallAttempt): null | Promise<ReportedFailure | null>;
  /** Prepares the call for the attempt. With an error, the channel is skipped; nothing is changed then. */
  before?(call: RunningCall, attempt: CallAttempt): AppError | null | Promise<AppError | null>;
  /** Changes the request before it is translated for the attempt's channel. */
  request?(sending: CallToSend, channel: PreparedChannel): void;
  /** Reads the headers of a response that succeeded. */
  responded?(attempt: SentAttempt, headers: ResponseHeaders | undefined): void;
  /** Called when an attempt has ended; its record has its times. `failure`: of the upstream, or the gateway's own. Never throws. */
  attempted?(attempt: EndedAttempt, end: AttemptEnd): void;
  /** Changes how the response of the attempt's channel is read. */
  reading?(reading: ResponseReading, channel: PreparedChannel): void;
  /** Restores the caller's names in a complete body, or in complete events, of the provider's response. */
  response?(bytes: Buffer): Buffer;
  /** Wraps the pipe of a stream to the caller. */
  pipe?(pipe: StreamPipe, call: RunningCall): StreamPipe;
  /** Reports whether a complete response must not be sent: it is charged, and the caller gets an error. */
  blocks?(call: RunningCall, response: WrittenResponse): boolean | Promise<boolean>;
  /** Restores the caller's names in a failure. */
  failure?(failure: UpstreamFailure): UpstreamFailure;
  /** Returns headers for the caller's response. */
  headers?(): Readonly<Record<string, string>>;
  /** Returns headers for every response of the call, also an error. */
  everyHeaders?(): Readonly<Record<string, string>>;
  /** Called before a call with usage is charged. @throws to end the call without a charge and without a response */
  charging?(call: RunningCall): void | Promise<void>;
  /** Adds to the log row before it is written with its charge. */
  settling?(row: ChargeRow, call: RunningCall, end: EndedCall): void;
  /** Called when the charge of a complete response is durable, before it is sent. Never rejects. */
  settled?(call: RunningCall): void | Promise<void>;
  /** Called with a complete response whose charge is durable, before it is sent. Never rejects. */
  answered?(call: RunningCall, response: SentResponse): Promise<void>;
  /** Called when the call ends without its full response, before its caller can retry. May be called several times. */
  unanswered?(): void;
  /** Called when the call can cost nothing more, to release state. May be called several times. */
  closed?(call: RunningCall): void;
}

/** The stages of one process. */
export interface CallStages {
  /** Returns the stages that apply to the caller's calls of the endpoint under the current settings, in order. */
  of(endpoint: RelayEndpoint, caller: StageCaller): readonly Pick<CallStage, 'open'>[];
  /** Calls the hook of the same name. */
  findModel(admission: Admission, model: string): Promise<PrivateModel | null>;
  /** Calls the hook of the same name. */
  modelsOf(admission: Admission): Promise<readonly string[]>;
  /** Calls the hooks of the same name. */
  refused(error: AppError, model: string): void;
  /** Guard of the stage that has one; else `noGuard`. */
  readonly guard: TextGuard;
  connect(userId: number): StageConnection;
}

/** Stages of one WebSocket. */
export interface StageConnection {
  of(endpoint: RelayEndpoint, caller: StageCaller): readonly Pick<CallStage, 'open'>[];
  /** Returns headers for the handshake's response. */
  headers(endpoint: RelayEndpoint, clientHeaders: Readonly<Record<string, string>>): Record<string, string>;
}

type StageCaller = Pick<Admission, 'isLimited'>;

interface CompiledLists {
  revision: number;
  /** For callers with limits of their own, and for others. */
  limited: readonly CallStage[];
  others: readonly CallStage[];
}

/** Stages of connections concern all callers. */
const anyCaller: StageCaller = { isLimited: true };

export function compileStages(all: readonly CallStage[], settings: { readonly revision: number }): CallStages {
  const compiled = new WeakMap<RelayEndpoint, CompiledLists>();
  function of(endpoint: RelayEndpoint, { isLimited }: StageCaller): readonly CallStage[] {
    let lists = compiled.get(endpoint);
    if (lists?.revision !== settings.revision) {
      const { revision } = settings;
      const [limited, others] = [true, false].map((limits) => all.filter((stage) => stage.applies(endpoint, limits)));
      lists = { revision, limited: limited ?? [], others: others ?? [] };
      compiled.set(endpoint, lists);
    }
    return isLimited ? lists.limited : lists.others;
  }
  return {
    of,
    refused(error, model) {
      for (const stage of all) stage.refused?.(error, model);
    },
    guard: all.find(({ guard }) => guard !== undefined)?.guard ?? noGuard,
    async findModel(admission, model) {
      for (const stage of all) {
        const found = (await stage.findModel?.(admission, model)) ?? null;
        if (found !== null) return found;
      }
      return null;
    },
    async modelsOf(admission) {
      const names: string[] = [];
      for (const stage of all) names.push(...((await stage.modelsOf?.(admission)) ?? []));
      return names;
    },
    connect(userId) {
      const connected = new Map<CallStage, ConnectedStage>();
      for (const stage of all) {
        const own = stage.connect?.(userId);
        if (own !== undefined) connected.set(stage, own);
      }
      return {
        of: (endpoint, caller) => of(endpoint, caller).map((stage) => connected.get(stage) ?? stage),
        headers(endpoint, clientHeaders) {
          const headers: Record<string, string> = {};
          for (const stage of of(endpoint, anyCaller)) Object.assign(headers, connected.get(stage)?.headers?.(endpoint, clientHeaders));
          return headers;
        },
      };
    },
  };
}

const noRuns: readonly StageRun[] = [];

/**
 * Opens the stages of a call, in order.
 * @throws {AppError} of a stage that refuses the call
 */
export function openStages(
  stages: readonly Pick<CallStage, 'open'>[],
  call: AdmittedCall,
): readonly StageRun[] | Promise<readonly StageRun[]> {
  let runs: StageRun[] | undefined;
  let opened = 0;
  for (const stage of stages) {
    const run = stage.open(call);
    opened += 1;
    if (run instanceof Promise) return openRest(stages.slice(opened), call, { runs: runs ?? [], opening: run });
    if (run === null) continue;
    (runs ??= []).push(run);
    if (run.repeated !== undefined) break;
  }
  return runs ?? noRuns;
}

async function openRest(
  stages: readonly Pick<CallStage, 'open'>[],
  call: AdmittedCall,
  { runs, opening }: { runs: StageRun[]; opening: Promise<StageRun | null> },
): Promise<readonly StageRun[]> {
  const opened = [...runs];
  const run = await opening;
  if (run !== null) opened.push(run);
  if (run?.repeated !== undefined) return opened;
  return [...opened, ...(await openStages(stages, call))];
}

/** Returns the endpoint with the content that stages add to the prompt; the same object if they add nothing. */
export function countedEndpoint(endpoint: RelayEndpoint, runs: readonly StageRun[]): RelayEndpoint {
  let isSame = true;
  for (const run of runs) if (run.promptContent !== undefined) isSame = false;
  if (isSame) return endpoint;
  return {
    ...endpoint,
    promptContent(body, model, isLarge) {
      const prompt = endpoint.promptContent(body, model, isLarge);
      for (const run of runs) run.promptContent?.(prompt);
      return prompt;
    },
  };
}

/** Reports whether all stages accept the channel. */
export function fitsChannel(runs: readonly StageRun[], channel: PreparedChannel): boolean {
  for (const run of runs) if (run.fits !== undefined && !run.fits(channel)) return false;
  return true;
}

/** Restrictions of a call's route by its stages. The first stage that sets one wins. */
export interface StageRouting {
  /** Only channel that the call may take; undefined if no stage restricts it. */
  only: PreparedChannel | undefined;
  /** Path in the request of the tool that searches the caller's stores; undefined if there is none. */
  searchingTool: string | undefined;
  /** Stage that chooses among channels; undefined if none does. */
  chooser: StageRun | undefined;
}

export function routingOf(runs: readonly StageRun[]): StageRouting {
  const routing: StageRouting = { only: undefined, searchingTool: undefined, chooser: undefined };
  for (const run of runs) {
    routing.only ??= run.only;
    routing.searchingTool ??= run.searchingTool;
    if (run.pick !== undefined) routing.chooser ??= run;
  }
  return routing;
}

/** Returns the options of stages for reading the channel's response. */
export function responseReading(runs: readonly StageRun[], channel: PreparedChannel): ResponseReading {
  const reading: ResponseReading = {};
  for (const run of runs) if (run.reading !== undefined) run.reading(reading, channel);
  return reading;
}

/** Restores the caller's names in bytes of the provider. */
export function restoredResponse(runs: readonly StageRun[], bytes: Buffer): Buffer {
  let restored = bytes;
  for (const run of runs) if (run.response !== undefined) restored = run.response(restored);
  return restored;
}
