/** Saves a text as a file of that name on this device. */
export function saveText(name: string, text: string, { type = 'text/plain' }: { type?: string } = {}): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  // What file systems refuse.
  link.download = name.replaceAll(/[\\/:*?"<>|]/g, '_');
  link.click();
  // Some browsers begin to read only after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
