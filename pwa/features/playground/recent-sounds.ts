// Recordings that were sent lately, so that they can be sent again. They are not stored on the device: one may be larger than all
// conversations.
const mostHeld = 3;
const held = new Map<string, File>();

export function holdSound(turnId: string, sound: File): void {
  held.set(turnId, sound);
  for (const id of held.keys()) {
    if (held.size <= mostHeld) return;
    held.delete(id);
  }
}

/** Undefined: it is gone. */
export function soundOf(turnId: string): File | undefined {
  return held.get(turnId);
}

export function forgetSounds(): void {
  held.clear();
}
