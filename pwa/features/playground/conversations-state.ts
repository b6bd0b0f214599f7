// Conversations of the user, in memory and on the device, and their changes. Nothing here uses the network.
import { storedUser } from '#pwa/api/stored-user.ts';
import type { Answer, ChatSettings, Conversation, Turn } from '#pwa/offline/conversation.ts';
import { dropOldest, storeConversation, readConversations, removeConversation } from '#pwa/offline/conversations.ts';
import { createStore } from '#pwa/ui/store.ts';
import { emptySettings } from './request-body.ts';

export interface PlaygroundState {
  /** 0: no user yet. */
  userId: number;
  isLoaded: boolean;
  /** Those with a question, the latest first. */
  stored: readonly Conversation[];
  /** Conversation on screen; stored with its first question. */
  open: Conversation;
  /** The device takes no conversations: a private window, or a full disk. */
  isUnstored: boolean;
}

export const playground = createStore<PlaygroundState>(stateOf(0));
const longestTitle = 60;

/** Loads the stored conversations of this user and drops the previous user's. */
export async function loadConversations(userId: number): Promise<void> {
  if (playground.get().userId === userId && playground.get().isLoaded) return;
  playground.set(stateOf(userId));
  const stored = (await readConversations(userId)).map(afterBreak);
  if (playground.get().userId !== userId) return;
  const [latest] = stored;
  const { open } = playground.get();
  const isUsed = open.turns.length > 0;
  const fresh = latest === undefined ? open : { ...open, models: latest.models, settings: { ...latest.settings, system: '' } };
  change({ isLoaded: true, stored: isUsed ? [open, ...stored] : stored, open: isUsed ? open : (latest ?? fresh) });
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
  const found = playground.get().stored.find((one) => one.id === id);
  if (found !== undefined) change({ open: found });
}

export async function deleteConversation(id: string): Promise<void> {
  const { stored, open, userId } = playground.get();
  const rest = stored.filter((one) => one.id !== id);
  const next = rest[0] ?? { ...conversationOf(userId), models: open.models };
  change({ stored: rest, open: open.id === id ? next : open });
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
  if (turns.length > 0) void storeOpen(playground.get().open.id, { isLast: true });
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
  const { open, stored } = playground.get();
  return open.id === id ? open : stored.find((one) => one.id === id);
}

/** Writes a conversation to the device. `isLast`: nothing follows soon. */
export async function storeOpen(id: string, { isLast }: { isLast: boolean }): Promise<void> {
  const conversation = conversationAt(id);
  if (conversation === undefined || conversation.turns.length === 0) return;
  const { userId } = conversation;
  const isWanted = (): boolean => storedUser()?.id === userId && conversationAt(id) !== undefined;
  const isStored = await storeConversation(conversation, isWanted);
  if (playground.get().userId !== userId) return;
  if (isWanted()) change({ isUnstored: !isStored });
  if (isLast && isStored) await dropOldest(userId).catch(() => undefined);
}

function editOpen(edit: (open: Conversation) => Conversation): void {
  const { open } = playground.get();
  if (open.turns.length === 0) {
    change({ open: edit(open) });
    return;
  }
  changeConversation(open.id, edit);
  void storeOpen(open.id, { isLast: true });
}

function changeConversation(id: string, edit: (conversation: Conversation) => Conversation): void {
  const before = conversationAt(id);
  if (before === undefined) return;
  const changed = { ...edit(before), updatedAt: Date.now() };
  const { open, stored } = playground.get();
  const isListed = stored.some((one) => one.id === id);
  change({
    open: open.id === id ? changed : open,
    stored: isListed ? stored.map((one) => (one.id === id ? changed : one)) : changed.turns.length > 0 ? [changed, ...stored] : stored,
  });
}

function change(part: Partial<PlaygroundState>): void {
  playground.set({ ...playground.get(), ...part });
}

function stateOf(userId: number): PlaygroundState {
  return { userId, isLoaded: false, stored: [], open: conversationOf(userId), isUnstored: false };
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
