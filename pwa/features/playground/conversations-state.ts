// Conversations of the user, in memory and on the device, and their changes. Nothing here uses the network.
import { storedUser } from '#pwa/api/stored-user.ts';
import type { Answer, ChatSettings, Conversation, Turn } from '#pwa/offline/conversation.ts';
import { dropOldest, keepConversation, readConversations, removeConversation } from '#pwa/offline/conversations.ts';
import { createStore } from '#pwa/ui/store.ts';
import { emptySettings } from './request-body.ts';

export interface PlaygroundState {
  /** 0: no user yet. */
  userId: number;
  isLoaded: boolean;
  /** Those with a question, the latest first. */
  kept: readonly Conversation[];
  /** Conversation on screen; stored with its first question. */
  open: Conversation;
  /** The device takes no conversations: a private window, or a full disk. */
  isUnkept: boolean;
}

export const playground = createStore<PlaygroundState>(stateOf(0));
const longestTitle = 60;

/** Loads the stored conversations of this user and drops the previous user's. */
export async function loadConversations(userId: number): Promise<void> {
  if (playground.get().userId === userId && playground.get().isLoaded) return;
  playground.set(stateOf(userId));
  const kept = (await readConversations(userId)).map(afterBreak);
  if (playground.get().userId !== userId) return;
  const [latest] = kept;
  const { open } = playground.get();
  const isUsed = open.turns.length > 0;
  const fresh = latest === undefined ? open : { ...open, models: latest.models, settings: { ...latest.settings, system: '' } };
  change({ isLoaded: true, kept: isUsed ? [open, ...kept] : kept, open: isUsed ? open : (latest ?? fresh) });
}

/** Nothing of a user stays in memory. */
export function forgetConversations(): void {
  playground.set(stateOf(0));
}

export function newConversation(): void {
  const { userId, open } = playground.get();
  if (open.turns.length === 0) return;
  change({ open: { ...conversationOf(userId), models: open.models, settings: open.settings } });
}

export function openConversation(id: string): void {
  const found = playground.get().kept.find((one) => one.id === id);
  if (found !== undefined) change({ open: found });
}

export async function deleteConversation(id: string): Promise<void> {
  const { kept, open, userId } = playground.get();
  const rest = kept.filter((one) => one.id !== id);
  const next = rest[0] ?? { ...conversationOf(userId), models: open.models };
  change({ kept: rest, open: open.id === id ? next : open });
  await removeConversation(userId, id);
}

export function chooseModels(models: string[]): void {
  editOpen((open) => ({ ...open, models }));
}

export function chooseSettings(settings: Partial<ChatSettings>): void {
  editOpen((open) => ({ ...open, settings: { ...open.settings, ...settings } }));
}

/** What goes along with a question. */
export type Along = Pick<Turn, 'pictures' | 'files' | 'sound'>;

/** Appends a question to what is open, with room for the answers. Gives the place of the turn. */
export function addTurn(text: string, { pictures, files = [], sound }: Along): { id: string; index: number } {
  const { open } = playground.get();
  const answers = open.models.map(() => null);
  const further = { ...(files.length > 0 && { files }), ...(sound && { sound }) };
  const turn: Turn = { id: newId(), text, pictures, at: Date.now(), answers, ...further };
  const title = open.title === '' ? titleOf(text, turn) : open.title;
  const changed = { ...open, title, turns: [...open.turns, turn] };
  change({ open: changed });
  return { id: changed.id, index: changed.turns.length - 1 };
}

/** The last question goes. */
export function dropLastTurn(): void {
  editOpen((open) => ({ ...open, turns: open.turns.slice(0, -1) }));
}

/** A conversation of its own with the turns before that place, or with that one too. What it comes from stays as it is. */
export function branch(index: number, isIncluded: boolean): void {
  const { open, userId } = playground.get();
  const turns = open.turns.slice(0, isIncluded ? index + 1 : index);
  change({ open: { ...conversationOf(userId), title: open.title, models: open.models, settings: open.settings, turns } });
  if (turns.length > 0) void keep(playground.get().open.id, { isLast: true });
}

/** Changes an answer wherever its conversation is. */
export function changeAnswer(
  place: { id: string; index: number; column: number },
  edit: (answer: Answer | null | undefined) => Answer,
): void {
  changeConversation(place.id, (conversation) => ({
    ...conversation,
    turns: conversation.turns.map((turn, index) => {
      if (index !== place.index) return turn;
      const answers = conversation.models.map((_model, column) => turn.answers[column] ?? null);
      answers[place.column] = edit(turn.answers[place.column]);
      return { ...turn, answers };
    }),
  }));
}

export function conversationAt(id: string): Conversation | undefined {
  const { open, kept } = playground.get();
  return open.id === id ? open : kept.find((one) => one.id === id);
}

/** Writes a conversation to the device. `isLast`: nothing follows soon. */
export async function keep(id: string, { isLast }: { isLast: boolean }): Promise<void> {
  const conversation = conversationAt(id);
  if (conversation === undefined || conversation.turns.length === 0) return;
  const { userId } = conversation;
  const isWanted = (): boolean => storedUser()?.id === userId && conversationAt(id) !== undefined;
  const isKept = await keepConversation(conversation, isWanted);
  if (playground.get().userId !== userId) return;
  if (isWanted()) change({ isUnkept: !isKept });
  if (isLast && isKept) await dropOldest(userId).catch(() => undefined);
}

function editOpen(edit: (open: Conversation) => Conversation): void {
  const { open } = playground.get();
  if (open.turns.length === 0) {
    change({ open: edit(open) });
    return;
  }
  changeConversation(open.id, edit);
  void keep(open.id, { isLast: true });
}

function changeConversation(id: string, edit: (conversation: Conversation) => Conversation): void {
  const before = conversationAt(id);
  if (before === undefined) return;
  const changed = { ...edit(before), updatedAt: Date.now() };
  const { open, kept } = playground.get();
  const isListed = kept.some((one) => one.id === id);
  change({
    open: open.id === id ? changed : open,
    kept: isListed ? kept.map((one) => (one.id === id ? changed : one)) : changed.turns.length > 0 ? [changed, ...kept] : kept,
  });
}

function change(part: Partial<PlaygroundState>): void {
  playground.set({ ...playground.get(), ...part });
}

function stateOf(userId: number): PlaygroundState {
  return { userId, isLoaded: false, kept: [], open: conversationOf(userId), isUnkept: false };
}

function conversationOf(userId: number): Conversation {
  return { userId, id: newId(), title: '', updatedAt: Date.now(), models: [], settings: emptySettings, turns: [] };
}

/** What was being written when the page went will not be finished; a video that was ordered is made all the same. */
function afterBreak(conversation: Conversation): Conversation {
  const broken = (answer: Answer | null): Answer | null =>
    answer?.state === 'running' && answer.kind !== 'video' ? { ...answer, state: 'cut' } : answer;
  return { ...conversation, turns: conversation.turns.map((turn) => ({ ...turn, answers: turn.answers.map(broken) })) };
}

function titleOf(text: string, { pictures, files = [], sound }: Along): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return (line === '' ? (pictures[0]?.name ?? files[0]?.name ?? sound?.name ?? '') : line).slice(0, longestTitle);
}

/** Unique on the device; pages without TLS have no `randomUUID`. */
function newId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
}
