// Tracks calls that have no result yet. Results have the call's id, or only its name for older models.

export class OpenCalls {
  readonly #byId = new Map<string, CallQueue>();
  readonly #byName = new Map<string, CallQueue>();

  add(id: string, name: string): void {
    const call = { id, isOpen: true };
    addTo(this.#byId, id, call);
    addTo(this.#byName, name, call);
  }

  /** Returns the id of the first open call that a result belongs to, and closes the call. */
  take(id: string | undefined, name: string): string | undefined {
    const call = (id === undefined ? undefined : firstOf(this.#byId.get(id))) ?? firstOf(this.#byName.get(name));
    if (call !== undefined) call.isOpen = false;
    return call?.id;
  }
}

interface OpenCall {
  id: string;
  isOpen: boolean;
}

interface CallQueue {
  calls: OpenCall[];
  /** Index of the first call without a result. */
  next: number;
}

function firstOf(queue: CallQueue | undefined): OpenCall | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isOpen === false) queue.next += 1;
  return queue.calls[queue.next];
}

function addTo(queues: Map<string, CallQueue>, key: string, call: OpenCall): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { calls: [call], next: 0 });
  else queue.calls.push(call);
}
