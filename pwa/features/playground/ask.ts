// Running questions: one call per model, whose pieces are drawn together once per frame. A call continues while its screen is hidden; it
// ends when it is stopped, when its conversation is deleted, and when its user signs out.
import { kindOfModel, type ModelKind } from '#pwa/api/chat-models.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { onStoredUserChange, storedUser } from '#pwa/api/stored-user.ts';
import { type ChatCall, type ChatPiece, streamChat } from '#pwa/api/stream-chat.ts';
import type { Answer, ChatSettings } from '#pwa/offline/conversation.ts';
import { createListeners } from '#pwa/ui/store.ts';
import {
  addTurn,
  type Along,
  changeAnswer,
  chooseModels,
  conversationAt,
  dropLastTurn,
  branch,
  forgetConversations,
  storeOpen,
  playground,
} from './conversations-state.ts';
import { mediaFor, videoOf } from './media-settings.ts';
import type { Sound } from './read-sound.ts';
import { forgetSounds, holdSound, soundOf } from './recent-sounds.ts';
import { type ChatBody, chatBody } from './request-body.ts';

interface Place {
  id: string;
  index: number;
  column: number;
}

const running = new Map<string, { place: Place; stopping: AbortController }>();
const charged = createListeners();
const mostToolCalls = 128;
/** Milliseconds between writes of an answer that grows. */
const storeEvery = 2000;

/** Calls `listener` when a charge is known: the balance is another one. */
export const onCharged = charged.subscribe;

onStoredUserChange(() => {
  if (storedUser()?.id === playground.get().userId) return;
  stopAll();
  forgetConversations();
  forgetSounds();
});

/** What goes along with a question; a recording with its bytes. */
export type SentAlong = Omit<Along, 'sound'> & { sound?: Sound | undefined };

/** Sends a question to all models of the open conversation. */
export function ask(text: string, { sound, ...along }: SentAlong): void {
  const attached = sound && { name: sound.file.name, ...(sound.seconds !== undefined && { seconds: sound.seconds }) };
  const turn = addTurn(text, { ...along, ...(attached && { sound: attached }) });
  const turnId = playground.get().open.turns.at(-1)?.id;
  if (sound !== undefined && turnId !== undefined) holdSound(turnId, sound.file);
  for (const column of playground.get().open.models.keys()) void fetchAnswer({ ...turn, column });
}

/** Repeats the last question for one model. */
export function askAgain(column: number): void {
  const { open } = playground.get();
  void fetchAnswer({ id: open.id, index: open.turns.length - 1, column });
}

/** Rephrases a question. The last one is replaced; an earlier one continues in a new conversation, so that nothing is lost. */
export function askInstead(index: number, text: string): void {
  const { open } = playground.get();
  const { pictures = [], files = [], sound, id = '' } = open.turns[index] ?? {};
  const file = soundOf(id);
  if (index === open.turns.length - 1) {
    forget(open.id, index);
    dropLastTurn();
  } else branch(index, false);
  ask(text, { pictures, files, sound: sound === undefined || file === undefined ? undefined : { file, seconds: sound.seconds } });
}

/** Of the open conversation, or of all. */
export function stop(id: string, column?: number): void {
  for (const { place, stopping } of running.values()) {
    if (place.id === id && (column === undefined || place.column === column)) stopping.abort();
  }
}

/** Continues with the first model alone and stops the others. */
export function askFirstOnly(): void {
  const { id, models } = playground.get().open;
  for (const column of models.keys()) if (column > 0) stop(id, column);
  chooseModels(models.slice(0, 1));
}

/** Ends the answers to a question that goes: its place is that of the next one, which they must not write to. */
function forget(id: string, index: number): void {
  for (const [key, { place, stopping }] of running) {
    if (place.id !== id || place.index !== index) continue;
    running.delete(key);
    stopping.abort();
  }
}

function stopAll(): void {
  for (const { stopping } of running.values()) stopping.abort();
}

async function fetchAnswer(place: Place): Promise<void> {
  const conversation = conversationAt(place.id);
  if (conversation === undefined) return;
  const key = `${place.id}/${place.index}/${place.column}`;
  running.get(key)?.stopping.abort();
  const stopping = new AbortController();
  running.set(key, { place, stopping });
  const startedAt = Date.now();
  const model = conversation.models[place.column] ?? '';
  const kind = kindOfModel(model) ?? 'chat';
  const { settings } = conversation;
  const begun: Answer = {
    model,
    state: 'running',
    text: '',
    reasoning: '',
    tool_calls: [],
    startedAt,
    ...awaitedOf(kind, model, settings),
  };
  // Another one may have taken its place.
  const isCurrent = (): boolean => running.get(key)?.stopping === stopping;
  const change = (edit: (answer: Answer) => Answer): void => {
    if (isCurrent()) changeAnswer(place, (now) => edit(now ?? begun));
  };
  changeAnswer(place, () => begun);
  void storeOpen(place.id, { isLast: false });
  const pieces = collectPieces((some) => change((now) => some.reduce(withPiece, now)));
  const storing = setInterval(() => void storeOpen(place.id, { isLast: false }), storeEvery);
  let end: Partial<Answer> = { state: 'done' };
  try {
    const way = {
      signal: stopping.signal,
      onStart: (requestId: string | undefined) => requestId !== undefined && change((now) => ({ ...now, requestId })),
    };
    const turn = conversation.turns[place.index];
    const onPreview = (url: string): void => change((now) => ({ ...now, pictures: [{ url }] }));
    if (kind === 'chat') {
      const body = chatBody(conversation, place.index, place.column);
      await streamChat({ ...(await inFormat(settings.format, body)), onPiece: pieces.add, ...way });
    } else if (turn !== undefined) {
      const { fetchMedia } = await import('./fetch-media.ts');
      end = { ...end, ...(await fetchMedia({ kind, model, settings, turn, onPreview }, way)) };
    }
  } catch (thrown) {
    const failure = failureOf(thrown);
    end = stopping.signal.aborted ? { state: 'stopped' } : { state: failure.code === 'cut' ? 'cut' : 'failed', problem: failure.message };
    // Whether the order was accepted is unknown: the list of tasks will show it.
    if (kind === 'video' && failure.status === undefined && !stopping.signal.aborted) end = { state: 'running' };
  }
  clearInterval(storing);
  pieces.flush();
  const time = end.state === 'running' ? {} : { ms: Date.now() - startedAt };
  change((now) => ({ ...now, ...end, ...time }));
  const isMine = isCurrent();
  if (isMine) running.delete(key);
  if (!isMine) return;
  await storeOpen(place.id, { isLast: true });
  await bookCharge(place, startedAt);
  followVideos();
}

/** Polls orders of videos until they end, also those of earlier page loads. */
export function followVideos(): void {
  const { stored, open } = playground.get();
  const isAwaited = (answer: Answer | null): boolean => answer?.kind === 'video' && answer.state === 'running';
  if (![open, ...stored].some(({ turns }) => turns.some(({ answers }) => answers.some(isAwaited)))) return;
  const isOrdering = (key: string): boolean => running.has(key);
  void import('./follow-videos.ts').then(({ follow }) => follow(isOrdering, charged.emit));
}

async function inFormat(format: ChatSettings['format'], body: ChatBody): Promise<Pick<ChatCall, 'body' | 'format'>> {
  if (format === undefined || format === 'openai-chat') return { body };
  const { callIn, readers } = await import('./other-formats.ts');
  const call = callIn(format, body);
  return { body: call.body, format: { path: call.path, read: readers[format]() } };
}

/** What is known of an answer before it comes: a picture or a video has its room from the start. */
function awaitedOf(kind: ModelKind, model: string, settings: ChatSettings): Pick<Answer, 'kind' | 'awaited'> {
  if (kind !== 'picture' && kind !== 'video') return kind === 'chat' ? {} : { kind };
  const media = mediaFor(model, settings.media);
  const { size, count } = kind === 'picture' ? media : { size: videoOf(model, media).size, count: 1 };
  const [width = 1, height = 1] = size === '' ? [] : size.split('x').map(Number);
  return { kind, awaited: { count, ratio: width / height } };
}

/** Pieces of one frame are drawn together; a hidden page has no frames. */
function collectPieces(draw: (pieces: ChatPiece[]) => void): { add: (piece: ChatPiece) => void; flush: () => void } {
  let waiting: ChatPiece[] = [];
  let isDue = false;
  const flush = (): void => {
    isDue = false;
    if (waiting.length === 0) return;
    const pieces = waiting;
    waiting = [];
    draw(pieces);
  };
  return {
    flush,
    add(piece) {
      waiting.push(piece);
      if (isDue) return;
      isDue = true;
      if (document.visibilityState === 'hidden') setTimeout(flush, 500);
      else requestAnimationFrame(flush);
    },
  };
}

function withPiece(answer: Answer, piece: ChatPiece): Answer {
  const elapsed = Date.now() - answer.startedAt;
  const next = { ...answer, firstMs: answer.firstMs ?? elapsed };
  if (piece.reasoning !== undefined) next.reasoning += piece.reasoning;
  if (piece.text !== undefined) {
    next.textMs ??= elapsed;
    next.text += piece.text;
  }
  if (piece.finish !== undefined) next.finish = piece.finish;
  if (piece.usage !== undefined) {
    next.promptTokens = piece.usage.prompt;
    next.completionTokens = piece.usage.completion;
    if (piece.usage.reasoning > 0) next.reasoningTokens = piece.usage.reasoning;
  }
  if (piece.toolCalls !== undefined) {
    next.tool_calls = [...answer.tool_calls];
    for (const { index, ...part } of piece.toolCalls) {
      if (index >= mostToolCalls) continue;
      while (next.tool_calls.length <= index) next.tool_calls.push({ name: '', arguments: '' });
      next.tool_calls = next.tool_calls.map((known, place) =>
        place === index ? { name: known.name + part.name, arguments: known.arguments + part.arguments } : known,
      );
    }
  }
  return next;
}

/** The charge is in the log, where the call is found by its id. Without a log there is none to show. */
async function bookCharge(place: Place, startedAt: number): Promise<void> {
  const find = () => conversationAt(place.id)?.turns[place.index]?.answers[place.column];
  const requestId = find()?.requestId;
  if (requestId === undefined) return;
  const { findCharge } = await import('./find-charge.ts');
  const row = await findCharge(requestId);
  const found = find();
  if (row === undefined || found === undefined || found === null || found.startedAt !== startedAt) return;
  changeAnswer(place, () => ({
    ...found,
    promptTokens: found.promptTokens ?? row.prompt_tokens,
    completionTokens: found.completionTokens ?? row.completion_tokens,
    quota: row.quota,
    logId: row.id,
  }));
  charged.emit();
  await storeOpen(place.id, { isLast: false });
}
