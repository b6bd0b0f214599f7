/** Brings a setting that a link leads to into sight, and its field under the keyboard. */
export function seekSetting(key: string): void {
  const field = document.querySelector(`[data-setting="${CSS.escape(key)}"]`);
  field?.scrollIntoView({ block: 'center' });
  field?.querySelector<HTMLElement>('button, input, textarea')?.focus({ preventScroll: true });
}
